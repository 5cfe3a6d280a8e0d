-- Views that read one of the given relations themselves, outside the schemas that cowscore made. Printed with qualified
-- names under an empty search_path.
select distinct n.nspname as schema, c.relname as name, pg_catalog.pg_get_viewdef(c.oid) as definition,
       coalesce(c.reloptions, '{}') as options,
       (
           select pg_catalog.array_agg(a.attname::text order by a.attnum)
           from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       ) as columns
from pg_catalog.pg_depend d
join pg_catalog.pg_rewrite r on r.oid = d.objid
join pg_catalog.pg_class c on c.oid = r.ev_class and c.relkind = 'v'
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
  and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
  and d.refobjid = any (%(relations)s::pg_catalog.oid[])
  and c.oid <> all (%(relations)s::pg_catalog.oid[])
  and n.nspname <> all (%(own)s)
