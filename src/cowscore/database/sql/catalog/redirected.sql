-- Views of the application in a schema with layout `in_place` that sessions use, as far as they are still there.
select t.table_name as name
from cowscore.tables t
join cowscore.schemas s using (schema_name)
where t.schema_name = %(schema)s and t.mode = 'view' and s.layout = 'in_place'
  and pg_catalog.to_regclass(pg_catalog.quote_ident(t.schema_name) || '.' || pg_catalog.quote_ident(t.table_name)) is not null
order by t.position
