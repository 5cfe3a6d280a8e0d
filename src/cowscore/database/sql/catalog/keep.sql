-- A changes table that was just put aside. Until they are carried over, its sessions are held.
with kept as (
    insert into cowscore.kept (schema_name, kept_name, table_name, table_oid, shape)
    values ({schema}, {kept}, {table}, {oid}, {shape})
    returning schema_name, kept_name
)
insert into cowscore.held (session_id, schema_name, kept_name, reason, blocks)
select distinct c._cow_session, k.schema_name, k.kept_name, 'not tried yet', true
from {kept_table} c
join cowscore.sessions s on s.id = c._cow_session
cross join kept k
