EXPECTED=$(cowscore session open --kind ground_truth --name "Figure 3")
psql -q "$(cowscore session dsn $EXPECTED)" <<'SQL'
update tasks set status = 'done' where id = 'T-103';
insert into tasks values ('T-106', 'todo');
insert into comments values ('C-201', 'T-106');
insert into tasks values ('T-108', 'todo');
SQL
AGENT=$(cowscore session open --name "The agent of Figure 3")
psql -q "$(cowscore session dsn $AGENT)" <<'SQL'
insert into tasks values ('T-106', 'todo');
insert into comments values ('C-201', 'T-106');
update tasks set status = 'done' where id = 'T-103';
insert into tasks values ('T-107', 'todo');
insert into comments values ('C-202', 'T-107');
SQL
