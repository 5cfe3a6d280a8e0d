-- Tables of the enabled schemas as they were registered.
select t.*, s.excluded, s.layout, s.trusted_functions
from cowscore.tables t
join cowscore.schemas s using (schema_name)
where s.enabled
order by t.schema_name, t.position
