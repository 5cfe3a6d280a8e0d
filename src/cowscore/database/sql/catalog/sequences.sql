-- Sequences of a schema.
select c.relname as name
from pg_catalog.pg_class c
where c.relnamespace = %(schema)s::pg_catalog.regnamespace and c.relkind = 'S'
order by 1
