-- The changes tables of a schema as an earlier enable registered them, and whether oids and column numbers of then still
-- count. A registry of an older version has no shapes.
select t.table_name, t.table_oid, t.changes_digest, coalesce(pg_catalog.to_jsonb(t) -> 'shape', '{}') as shape,
       coalesce((pg_catalog.to_jsonb(t) -> 'shape' ->> 'catalog')::pg_catalog.oid = 'cowscore.tables'::pg_catalog.regclass,
                false) as numbered
from cowscore.tables t
where t.schema_name = %(schema)s and t.mode in ('session', 'insert_only')
order by t.position
