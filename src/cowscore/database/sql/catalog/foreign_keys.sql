-- Foreign keys of the tables and foreign keys that point at them. Copies that partitions inherit are left out.
select con.oid,
       con.conname as name,
       con.conrelid as table_oid,
       n.nspname as table_schema,
       c.relname as table_name,
       con.confrelid as ref_oid,
       rn.nspname as ref_schema,
       rc.relname as ref_table,
       con.confupdtype as on_update,
       con.confdeltype as on_delete,
       con.confmatchtype = 'f' as match_full,
       con.condeferrable as deferrable,
       con.condeferred as initially_deferred,
       (
           select pg_catalog.array_agg(a.attname::text order by k.n)
           from pg_catalog.unnest(con.conkey) with ordinality as k(attnum, n)
           join pg_catalog.pg_attribute a on a.attrelid = con.conrelid and a.attnum = k.attnum
       ) as columns,
       (
           select pg_catalog.array_agg(a.attname::text order by k.n)
           from pg_catalog.unnest(con.confkey) with ordinality as k(attnum, n)
           join pg_catalog.pg_attribute a on a.attrelid = con.confrelid and a.attnum = k.attnum
       ) as ref_columns,
       coalesce((
           select pg_catalog.array_agg(a.attname::text order by k.n)
           from pg_catalog.unnest(con.confdelsetcols) with ordinality as k(attnum, n)
           join pg_catalog.pg_attribute a on a.attrelid = con.conrelid and a.attnum = k.attnum
       ), '{}') as set_columns,
       (
           select pg_catalog.array_agg('OPERATOR(' || pg_catalog.quote_ident(o_n.nspname) || '.' || o.oprname || ')' order by k.n)
           from pg_catalog.unnest(con.conpfeqop) with ordinality as k(operator, n)
           join pg_catalog.pg_operator o on o.oid = k.operator
           join pg_catalog.pg_namespace o_n on o_n.oid = o.oprnamespace
       ) as operators
from pg_catalog.pg_constraint con
join pg_catalog.pg_class c on c.oid = con.conrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_class rc on rc.oid = con.confrelid
join pg_catalog.pg_namespace rn on rn.oid = rc.relnamespace
where con.contype = 'f'
  and con.conparentid = 0
  and (con.conrelid = any(%(tables)s::pg_catalog.oid[]) or con.confrelid = any(%(tables)s::pg_catalog.oid[]))
order by con.oid
