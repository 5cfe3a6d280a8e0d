-- Every relation of a schema that an application may call a table, with what decides its mode.
select c.oid,
       c.relname as name,
       c.relkind as kind,
       c.relispartition as is_partition,
       c.relrowsecurity as row_security,
       not c.relispartition and exists (
           select from pg_catalog.pg_inherits i where i.inhrelid = c.oid
       ) as inherits,
       c.relkind = 'r' and exists (
           select from pg_catalog.pg_inherits i where i.inhparent = c.oid
       ) as is_inherited,
       exists (
           select from pg_catalog.pg_rewrite r where r.ev_class = c.oid
       ) as has_rules,
       pg_catalog.has_table_privilege(current_user, c.oid, 'select') as readable,
       coalesce((
           select pg_catalog.array_agg(k.conname || ' ' || pg_catalog.pg_get_constraintdef(k.oid) order by k.conname)
           from pg_catalog.pg_constraint k
           where k.conrelid = c.oid and k.contype = 'c'
       ), '{}')::text[] as checks,
       coalesce((
           select pg_catalog.array_agg(array[k.conname::text, pg_catalog.pg_get_expr(k.conbin, k.conrelid)] order by k.conname)
           from pg_catalog.pg_constraint k
           where k.conrelid = c.oid and k.contype = 'c' and not k.convalidated
             and coalesce(pg_catalog.to_jsonb(k) ->> 'conenforced', 'true') = 'true' -- from PostgreSQL 18
       ), '{}')::text[] as not_valid,
       exists (
           select from pg_catalog.pg_constraint k
           where k.conrelid = c.oid and k.contype = 'c' and k.conbin::text like '%%:varattno 0 %%'
       ) as has_row_check
from pg_catalog.pg_class c
where c.relnamespace = %(schema)s::pg_catalog.regnamespace
  and c.relkind in ('r', 'p', 'f')
order by c.relname
