delete from {given} g
where g._cow_session = $1
  and not exists (select from {changes} c where c._cow_session = $1 and c._cow_seq = g._cow_seq);
