-- Copies versions of one session into another; heads are set afterwards.
create function {function}(source pg_catalog.uuid, target pg_catalog.uuid, operations pg_catalog.uuid[]) returns void
language sql volatile
as $cowscore$
insert into {changes} ({stored}, _cow_session, _cow_operation, _cow_seq, _cow_row, _cow_prev, _cow_kind, _cow_head,
                       _cow_derived, _cow_xid, _cow_updated_at)
select {stored}, $2, _cow_operation, _cow_seq, _cow_row, _cow_prev, _cow_kind, false, _cow_derived, _cow_xid, _cow_updated_at
from {changes} c
where c._cow_session = $1
  and ($3 is null or c._cow_operation = any ($3) and c._cow_kind <> 'B'
       or c._cow_kind = 'B' and exists (
           select from {changes} n where n._cow_session = $1 and n._cow_row = c._cow_row and n._cow_operation = any ($3)))
{copy_given}$cowscore$
