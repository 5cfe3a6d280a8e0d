-- Every written version with the row before and after it, as JSON for clients of any language.
create function {function}(session pg_catalog.uuid)
returns table (seq pg_catalog.int8, operation pg_catalog.uuid, key pg_catalog.jsonb, kind pg_catalog."char",
               before pg_catalog.jsonb, after pg_catalog.jsonb, derived pg_catalog.bool, written_at pg_catalog.timestamptz)
language sql stable
as $cowscore$
select c._cow_seq, c._cow_operation, {key}, c._cow_kind,
       case when c._cow_kind operator(pg_catalog.<>) 'I'::pg_catalog."char" then {before} end,
       case when c._cow_kind operator(pg_catalog.<>) 'D'::pg_catalog."char" then {after} end,
       c._cow_derived, c._cow_updated_at
from {changes} c
left join {changes} o on o._cow_session operator(pg_catalog.=) $1 and o._cow_seq operator(pg_catalog.=) c._cow_prev
where c._cow_session operator(pg_catalog.=) $1
  and c._cow_kind in ('I', 'U', 'D')
$cowscore$
