TRIAL=$(cowscore session open --name "First try")
psql -q "$(cowscore session dsn $TRIAL)" <<'SQL'
update tasks set status = 'done' where id = 'T-103';
insert into comments (task_id, body) values ('T-103', 'Room 4 is booked');
insert into tasks (id, title) values ('T-105', 'Print the agenda');
SQL
cowscore session close $TRIAL
cowscore session diff $TRIAL
