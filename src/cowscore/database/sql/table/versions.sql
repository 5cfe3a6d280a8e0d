-- Every version that a session wrote to the table, the written version before it (null for none), and the columns that an
-- update changed.
create function {function}(session pg_catalog.uuid)
returns table (seq pg_catalog.int8, entity pg_catalog.int8, prev pg_catalog.int8, kind pg_catalog."char",
               operation pg_catalog.uuid, derived pg_catalog.bool, columns pg_catalog.text[], one_by_one pg_catalog.bool)
language sql stable
as $cowscore$
select v.seq, v.entity, v.prev, v.kind, v.operation, v.derived, v.columns, {one_by_one}
from (
    select c._cow_seq as seq, c._cow_row as entity,
           case when o._cow_kind operator(pg_catalog.<>) 'B'::pg_catalog."char" then c._cow_prev end as prev,
           c._cow_kind as kind, c._cow_operation as operation, c._cow_derived as derived,
           case when c._cow_kind operator(pg_catalog.=) 'U'::pg_catalog."char"
               then {changed}
           end as columns
    from {source} c
    left join {changes} o on o._cow_session operator(pg_catalog.=) $1 and o._cow_seq operator(pg_catalog.=) c._cow_prev
    where c._cow_session operator(pg_catalog.=) $1
      and c._cow_kind operator(pg_catalog.<>) 'B'::pg_catalog."char"
) v
$cowscore$
