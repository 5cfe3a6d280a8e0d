SESSION=$(cowscore session open --name "Look inside")
psql -q "$(cowscore session dsn $SESSION)" <<'SQL'
update tasks set status = 'done' where id = 'T-101';
insert into tasks (id, title) values ('T-104', 'Print the agenda');
delete from tasks where id = 'T-102';
SQL
psql "$COWSCORE_DSN" -c "select _cow_seq, _cow_kind, _cow_head, id, status from public_cow_changes.tasks order by _cow_seq"
psql "$(cowscore session dsn $SESSION)" -c "select id, status from tasks order by id" -c "show search_path"
