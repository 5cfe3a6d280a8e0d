-- Functions that run with their owner's rights, that anyone may call, and whose owner can write the tables.
select p.oid::pg_catalog.regprocedure::pg_catalog.text as signature
from pg_catalog.pg_proc p
where p.prosecdef
  and p.pronamespace not in (select n.oid from pg_catalog.pg_namespace n where n.nspname = any (%(own)s))
  and pg_catalog.has_function_privilege('public', p.oid, 'execute')
  and not exists (select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e')
  and exists (
      select from pg_catalog.unnest(%(tables)s::pg_catalog.oid[]) t(oid)
      where pg_catalog.has_table_privilege(p.proowner, t.oid, 'insert, update, delete')
  )
order by 1
