-- The versions that a commit would write, by table: not committed yet, not derived, of the selected operations.
create or replace function cowscore.pending(session uuid, operations uuid[])
returns table (schema_name name, table_name name, functions_schema name, functions_prefix text, seq bigint, entity bigint,
               prev bigint, kind "char", columns text[], one_by_one boolean)
language sql stable set search_path = pg_catalog, pg_temp
as $cowscore$
select v.schema_name, v.table_name, v.functions_schema, v.functions_prefix, v.seq, v.entity, v.prev, v.kind, v.columns,
       v.one_by_one
from cowscore.versions(session) v
where not v.derived
  and v.kind <> 'K'
  -- Hashed, whatever the planner thinks of a young table.
  and v.operation not in (select o.id from cowscore.operations o where o.session_id = session and o.committed_at is not null)
  and (operations is null or v.operation = any (operations))
order by v.seq
$cowscore$;
