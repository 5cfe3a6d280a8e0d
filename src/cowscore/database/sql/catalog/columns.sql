-- Columns in their order; expressions print qualified because the reader runs with an empty search_path.
select a.attrelid as table_oid,
       a.attname as name,
       a.attnum as number,
       pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
       a.attnotnull as not_null,
       a.attidentity as identity,
       a.attgenerated as generated,
       pg_catalog.pg_get_expr(d.adbin, d.adrelid) as expression,
       pg_catalog.pg_get_serial_sequence(pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname),
                                         a.attname) as sequence,
       coalesce((
           select 'OPERATOR(' || pg_catalog.quote_ident(o_n.nspname) || '.' || o.oprname || ')'
           from pg_catalog.pg_opclass oc
           join pg_catalog.pg_am am on am.oid = oc.opcmethod and am.amname in ('btree', 'hash')
           join pg_catalog.pg_amop ao
             on ao.amopfamily = oc.opcfamily
            and ao.amoplefttype = oc.opcintype
            and ao.amoprighttype = oc.opcintype
            and ao.amopstrategy = case am.amname when 'btree' then 3 else 1 end
           join pg_catalog.pg_operator o on o.oid = ao.amopopr
           join pg_catalog.pg_namespace o_n on o_n.oid = o.oprnamespace
           join pg_catalog.pg_type t on t.oid = a.atttypid
           where oc.opcdefault and oc.opcintype in (a.atttypid, t.typbasetype)
           order by am.amname
           limit 1
       ), 'OPERATOR(pg_catalog.=)') as equality
from pg_catalog.pg_attribute a
join pg_catalog.pg_class c on c.oid = a.attrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attrelid = any(%(tables)s::pg_catalog.oid[])
  and a.attnum > 0
  and not a.attisdropped
order by a.attrelid, a.attnum
