-- The application's views of a schema, those that others build on first, with the relations that each reads. Printed
-- under the search_path in force: names that it leads to come out without their schema. `own`: overlay views there.
with recursive uses as (
    select distinct r.ev_class as view, d.refobjid as used
    from pg_catalog.pg_class c
    join pg_catalog.pg_rewrite r on r.ev_class = c.oid
    join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
     and d.objid = r.oid
     and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
     and d.refobjid <> r.ev_class
    where c.relnamespace = %(schema)s::pg_catalog.regnamespace and c.relkind = 'v' and c.relname <> all (%(own)s)
), levels (view, level) as (
    select c.oid, 0 from pg_catalog.pg_class c
    where c.relnamespace = %(schema)s::pg_catalog.regnamespace and c.relkind = 'v' and c.relname <> all (%(own)s)
    union
    select u.view, l.level + 1 from levels l join uses u on u.used = l.view
)
select c.oid,
       c.relname as name,
       pg_catalog.pg_get_viewdef(c.oid) as definition,
       coalesce(c.reloptions, '{}') as options,
       exists (select from pg_catalog.pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as has_triggers,
       (select pg_catalog.count(*) from pg_catalog.pg_rewrite r where r.ev_class = c.oid) > 1 as has_rules,
       exists (
           select from pg_catalog.pg_rewrite r
           join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
           where r.ev_class = c.oid and d.refclassid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
       ) as groups_by_key,
       (
           select pg_catalog.array_agg(a.attname::text order by a.attnum)
           from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       ) as columns,
       coalesce((
           select pg_catalog.array_agg(n.nspname || '.' || t.relname order by 1)
           from uses u
           join pg_catalog.pg_class t on t.oid = u.used
           join pg_catalog.pg_namespace n on n.oid = t.relnamespace
           where u.view = c.oid and n.nspname not in ('pg_catalog', 'information_schema')
       ), '{}') as reads
from pg_catalog.pg_class c
join levels l on l.view = c.oid
group by c.oid
order by max(l.level), c.relname
