-- Triggers of the given tables that someone made, in the order in which they fire.
select t.tgrelid as table_oid,
       t.tgname as name,
       pg_catalog.pg_get_triggerdef(t.oid) as definition,
       t.tgtype::integer as type,
       t.tgenabled as enabled,
       t.tgdeferrable as deferrable,
       t.tgoldtable is not null or t.tgnewtable is not null as transition,
       array(
           select a.attname::text
           from pg_catalog.unnest(t.tgattr::smallint[]) with ordinality u (attnum, position)
           join pg_catalog.pg_attribute a on a.attrelid = t.tgrelid and a.attnum = u.attnum
           order by u.position
       ) as columns,
       p.prosecdef as definer,
       p.oid as function_oid,
       p.prosrc ~* '\mexecute\M' and p.prosrc ~* '\mtg_(table_schema|relid)\M' as names_its_table,
       p.prosrc ~* '\mreturn\s+null\M'
           and p.prosrc ~* '\m(insert\s+into|delete\s+from|merge\s+into|update\s+[^;]+\sset)\M' as replaces_rows,
       p.prosrc ~* '\mpg_trigger_depth\M' or pg_catalog.pg_get_triggerdef(t.oid) ~* '\mpg_trigger_depth\(' as asks_depth
from pg_catalog.pg_trigger t
join pg_catalog.pg_proc p on p.oid = t.tgfoid
where t.tgrelid = any (%(tables)s::pg_catalog.oid[]) and not t.tgisinternal
order by t.tgrelid, t.tgname
