select p._cow_operation, c._cow_operation
from {parent_changes} p
join {parent_changes} was on was._cow_session = $1 and was._cow_seq = p._cow_prev
join {changes} c on c._cow_session = $1 and c._cow_seq < p._cow_seq
join {changes} o on o._cow_session = $1 and o._cow_seq = c._cow_prev and {parent_matched}
where p._cow_session = $1 and p._cow_kind = 'D' and p._cow_operation <> c._cow_operation
  and (c._cow_kind = 'D' or c._cow_kind = 'U' and {child_changed})
