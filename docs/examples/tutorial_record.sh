RECORDING=$(cowscore session open --name "Room booked" --kind ground_truth)
psql -q "$(cowscore session dsn $RECORDING)" <<'SQL'
update tasks set status = 'done' where id = 'T-103';
insert into comments (task_id, body) values ('T-103', 'Room 4 is booked until noon');
insert into tasks (id, title) values ('T-104', 'Print the agenda');
SQL
cowscore session close $RECORDING
cowscore session show $RECORDING
