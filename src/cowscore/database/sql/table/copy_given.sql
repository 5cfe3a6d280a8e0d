;
insert into {given} ({stored}, _cow_session, _cow_seq, _cow_depth)
select {given_stored}, $2, g._cow_seq, g._cow_depth
from {given} g
join {changes} c on c._cow_session = $2 and c._cow_seq = g._cow_seq
where g._cow_session = $1
