-- Typed rows of a session's versions, each with the row before it.
select c._cow_seq, c._cow_row, c._cow_kind::text, c._cow_operation, c._cow_derived, {after}, {before}
from {changes} c
left join {changes} o on o._cow_session = %(session)s and o._cow_seq = c._cow_prev
where c._cow_session = %(session)s and c._cow_kind in ('I', 'U', 'D')
order by c._cow_seq
