-- Sessions with versions that are kept aside.
select h.session_id, h.schema_name, k.table_name, h.reason, h.blocks
from cowscore.held h
join cowscore.kept k using (schema_name, kept_name)
where h.schema_name = %(schema)s
order by h.session_id, k.table_name
