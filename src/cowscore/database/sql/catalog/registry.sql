-- Tables of the enabled schemas as they were registered.
select t.*, s.excluded, s.layout, s.trusted_functions, s.enabled,
       coalesce((pg_catalog.to_jsonb(s) ->> 'migrating')::boolean, false) as migrating
from cowscore.tables t
join cowscore.schemas s using (schema_name)
where s.enabled
   or (pg_catalog.to_jsonb(s) ->> 'migrating')::boolean -- a registry of an older version has no such column
order by t.schema_name, t.position
