-- Tables whose name a view has, and what each is called meanwhile. A registry of an older version has none.
select t.schema_name as schema, t.table_name as name, pg_catalog.to_jsonb(t) ->> 'base_name' as base_name
from cowscore.tables t
where pg_catalog.to_jsonb(t) ->> 'base_name' is not null
order by t.schema_name, t.position
