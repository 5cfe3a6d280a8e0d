-- Valid indexes, one row each, with every element as SQL and the operator that means "the same" in it.
select i.indrelid as table_oid,
       c.relname as name,
       am.amname as method,
       i.indisunique as is_unique,
       i.indisprimary as is_primary,
       i.indisexclusion as is_exclusion,
       i.indimmediate as immediate,
       con.oid is not null as is_constraint,
       coalesce(con.condeferrable, false) as deferrable,
       coalesce(con.condeferred, false) as initially_deferred,
       coalesce((pg_catalog.to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false) as nulls_not_distinct,
       pg_catalog.pg_get_expr(i.indpred, i.indrelid) as predicate,
       pg_catalog.array_agg(a.attname::text order by k.n) as columns,
       pg_catalog.array_agg(pg_catalog.pg_get_indexdef(i.indexrelid, k.n::integer, false) order by k.n) as elements,
       pg_catalog.array_agg(
           'OPERATOR(' || pg_catalog.quote_ident(o_n.nspname) || '.' || o.oprname || ')' order by k.n
       ) as operators,
       pg_catalog.array_agg(
           case
               when (i.indoption[k.n - 1] & 3) = 1 then ' desc nulls last'
               when (i.indoption[k.n - 1] & 3) = 2 then ' nulls first'
               when (i.indoption[k.n - 1] & 3) = 3 then ' desc'
               else ''
           end order by k.n
       ) as orders,
       pg_catalog.array_agg(
           case
               when col.collname is null then ''
               else ' collate ' || pg_catalog.quote_ident(col_n.nspname) || '.' || pg_catalog.quote_ident(col.collname)
           end || case
               when oc.opcdefault then ''
               else ' ' || pg_catalog.quote_ident(oc_n.nspname) || '.' || pg_catalog.quote_ident(oc.opcname)
           end order by k.n
       ) as qualifiers
from pg_catalog.pg_index i
join pg_catalog.pg_class c on c.oid = i.indexrelid
join pg_catalog.pg_am am on am.oid = c.relam
left join pg_catalog.pg_constraint con on con.conindid = i.indexrelid and con.contype in ('p', 'u', 'x')
cross join lateral pg_catalog.generate_series(1, i.indnkeyatts) as k(n)
left join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[k.n - 1] and a.attnum > 0
left join pg_catalog.pg_collation col on col.oid = i.indcollation[k.n - 1] and col.collname <> 'default'
left join pg_catalog.pg_namespace col_n on col_n.oid = col.collnamespace
join pg_catalog.pg_opclass oc on oc.oid = i.indclass[k.n - 1]
join pg_catalog.pg_namespace oc_n on oc_n.oid = oc.opcnamespace
left join pg_catalog.pg_amop ao
  on am.amname = 'btree'
 and not i.indisexclusion
 and ao.amopfamily = oc.opcfamily
 and ao.amoplefttype = oc.opcintype
 and ao.amoprighttype = oc.opcintype
 and ao.amopstrategy = 3
left join pg_catalog.pg_operator o on o.oid = coalesce(con.conexclop[k.n], ao.amopopr)
left join pg_catalog.pg_namespace o_n on o_n.oid = o.oprnamespace
where i.indrelid = any(%(tables)s::pg_catalog.oid[])
  and i.indisvalid
group by i.indexrelid, i.indrelid, c.relname, am.amname, i.indisunique, i.indisprimary, i.indisexclusion, i.indimmediate,
         con.oid, con.condeferrable, con.condeferred, i.indpred, i.*
order by i.indrelid, i.indexrelid
