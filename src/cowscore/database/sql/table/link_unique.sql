select c._cow_operation, w._cow_operation
from {changes} c
join {changes} o on o._cow_session = $1 and {same_value}
join {changes} w on w._cow_session = $1 and w._cow_prev = o._cow_seq and w._cow_seq < c._cow_seq
where c._cow_session = $1 and c._cow_kind in ('I', 'U') and c._cow_operation <> w._cow_operation
  and c._cow_row <> w._cow_row
  and (w._cow_kind in ('D', 'K') or w._cow_kind = 'U' and {value_changed})
