select c._cow_operation, p._cow_operation
from {changes} c
join {parent_changes} p on p._cow_session = $1 and p._cow_seq < c._cow_seq and {parent_matches}
left join {parent_changes} o on o._cow_session = $1 and o._cow_seq = p._cow_prev
where c._cow_session = $1 and c._cow_kind in ('I', 'U') and c._cow_operation <> p._cow_operation
  and (p._cow_kind = 'I' or p._cow_kind = 'U' and {parent_changed})
