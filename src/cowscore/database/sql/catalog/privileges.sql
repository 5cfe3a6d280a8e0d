-- Login roles that may write the tables, thus may be the application, and may need to enter sessions.
select distinct r.rolname as name
from pg_catalog.pg_roles r
join pg_catalog.unnest(%(tables)s::pg_catalog.oid[]) t(oid)
  on pg_catalog.has_table_privilege(r.oid, t.oid, 'insert, update, delete')
where not r.rolsuper
  and not pg_catalog.pg_has_role(r.oid, 'cowscore_agent', 'member')
  and r.rolname not in ('cowscore_agent', 'cowscore_writer')
  and not pg_catalog.starts_with(r.rolname, 'cowscore_s_')
  and not pg_catalog.starts_with(r.rolname, 'pg_')
order by 1
