-- Relations outside cowscore's own schemas that a role (or `public`) may write: a session could, past the overlay. `views`:
-- those that lead into it.
select n.nspname || '.' || c.relname as name
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'f')
  and n.nspname <> all (%(own)s)
  and not (c.relkind = 'v' and n.nspname || '.' || c.relname = any (%(views)s))
  and n.nspname !~ '^pg_'
  and n.nspname <> 'information_schema'
  and (
      pg_catalog.has_table_privilege(%(role)s, c.oid, 'insert, update, delete, truncate')
      or pg_catalog.has_any_column_privilege(%(role)s, c.oid, 'insert, update')
  )
order by 1
