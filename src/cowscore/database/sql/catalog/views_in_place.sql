-- Views of applications' schemas through which a session writes to its changes.
select t.schema_name || '.' || t.table_name as name
from cowscore.tables t
join cowscore.schemas s using (schema_name)
where s.layout = 'in_place' and s.enabled and t.mode in ('session', 'insert_only', 'view')
