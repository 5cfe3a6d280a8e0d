-- Makes the latest version of every key the head again, after versions were removed, copied or committed.
create function {function}(session pg_catalog.uuid) returns void
language sql volatile
as $cowscore$
update {changes} c set _cow_head = w.head
from (
    select v._cow_seq,
           v._cow_kind <> 'B' and op.committed_at is null
               and row_number() over (partition by {partition} order by v._cow_seq desc) = 1 as head
    from {changes} v
    join cowscore.operations op on op.session_id = $1 and op.id = v._cow_operation
    where v._cow_session = $1
) w
where c._cow_session = $1 and c._cow_seq = w._cow_seq and c._cow_head and not w.head;
update {changes} c set _cow_head = w.head
from (
    select v._cow_seq,
           v._cow_kind <> 'B' and op.committed_at is null
               and row_number() over (partition by {partition} order by v._cow_seq desc) = 1 as head
    from {changes} v
    join cowscore.operations op on op.session_id = $1 and op.id = v._cow_operation
    where v._cow_session = $1
) w
where c._cow_session = $1 and c._cow_seq = w._cow_seq and not c._cow_head and w.head
$cowscore$
