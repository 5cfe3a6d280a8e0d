-- The tables that sessions can write, with the schema and prefix of their rendered functions, in locking order.
create or replace function cowscore.functions_of()
returns table (schema_name name, table_name name, functions_schema name, functions_prefix text, bookkeeping boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
select t.schema_name, t.table_name, s.functions_schema, t.functions_prefix, t.bookkeeping
from cowscore.tables t
join cowscore.schemas s using (schema_name)
where s.enabled and t.mode in ('session', 'insert_only')
order by t.schema_name, t.position
$cowscore$;
