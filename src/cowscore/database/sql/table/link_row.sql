select c._cow_operation, o._cow_operation
from {changes} c
join {changes} o on o._cow_session = $1 and o._cow_seq = c._cow_prev
where c._cow_session = $1 and c._cow_kind <> 'B' and o._cow_kind <> 'B' and c._cow_operation <> o._cow_operation
