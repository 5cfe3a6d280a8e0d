-- Removes what the operations wrote (null: all), and base images that nothing builds on any more.
create function {function}(session pg_catalog.uuid, operations pg_catalog.uuid[]) returns void
language sql volatile
as $cowscore$
delete from {changes} c
where c._cow_session = $1 and ($2 is null or c._cow_operation = any ($2) and c._cow_kind <> 'B');
delete from {changes} c
where c._cow_session = $1 and c._cow_kind = 'B'
  and not exists (select from {changes} n where n._cow_session = $1 and n._cow_row = c._cow_row and n._cow_kind <> 'B');
{erase_given}$cowscore$
