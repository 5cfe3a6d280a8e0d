-- After a commit in this transaction: rows written to the application's tables that the session did not write itself.
with own as (
    select v.schema_name, v.table_name,
           count(*) filter (where v.kind = 'I') as inserted,
           count(*) filter (where v.kind = 'U' and cardinality(v.columns) > 0) as updated,
           count(*) filter (where v.kind = 'D') as deleted
    from cowscore.versions(%(session)s) v
    join cowscore.operations o on o.session_id = %(session)s and o.id = v.operation
    where not v.derived and o.committed_at >= pg_catalog.transaction_timestamp()
      and (%(operations)s::uuid[] is null or v.operation = any (%(operations)s::uuid[]))
    group by v.schema_name, v.table_name
)
select s.schemaname::text as "schema", s.relname::text as "table",
       greatest(s.n_tup_ins - coalesce(own.inserted, 0), 0) as inserted,
       greatest(s.n_tup_upd - coalesce(own.updated, 0), 0) as updated,
       greatest(s.n_tup_del - coalesce(own.deleted, 0), 0) as deleted
from pg_catalog.pg_stat_xact_user_tables s
left join own on own.schema_name = s.schemaname and own.table_name = s.relname
where s.schemaname <> 'cowscore'
  and not exists (select from cowscore.schemas c where s.schemaname in (c.changes_schema, c.functions_schema))
  and (s.n_tup_ins > coalesce(own.inserted, 0) or s.n_tup_upd > coalesce(own.updated, 0)
       or s.n_tup_del > coalesce(own.deleted, 0))
order by 1, 2
