-- Unique and foreign keys of the tables of some schemas, a foreign key at both of its ends.
select n.nspname as schema, c.relname as table, d.definition
from (
    select i.indrelid as relation, pg_catalog.pg_get_indexdef(i.indexrelid) as definition
    from pg_catalog.pg_index i
    where i.indisunique or i.indisexclusion
    union all
    select e.relation, pg_catalog.pg_get_constraintdef(k.oid)
    from pg_catalog.pg_constraint k
    cross join lateral (values (k.conrelid), (k.confrelid)) as e(relation)
    where k.contype = 'f'
) d
join pg_catalog.pg_class c on c.oid = d.relation
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = any (%(schemas)s)
