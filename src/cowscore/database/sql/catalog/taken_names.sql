-- Names of relations and types of a schema: one that a table is renamed to must be among neither.
select c.relname as name from pg_catalog.pg_class c where c.relnamespace = %(schema)s::pg_catalog.regnamespace
union
select t.typname from pg_catalog.pg_type t where t.typnamespace = %(schema)s::pg_catalog.regnamespace
