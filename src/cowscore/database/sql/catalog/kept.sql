-- Changes tables of a schema that were put aside, with what is known of the table they belong to.
select k.kept_name, k.table_name, k.table_oid, k.shape,
       coalesce((k.shape ->> 'catalog')::pg_catalog.oid = 'cowscore.tables'::pg_catalog.regclass, false) as numbered
from cowscore.kept k
where k.schema_name = %(schema)s
order by k.kept_name
