SESSION=$(cowscore session open --name "Before the migration")
psql -q "$(cowscore session dsn $SESSION)" -c "insert into tasks (id, title) values ('T-104', 'Print the agenda')" \
    -c "update tasks set status = 'done' where id = 'T-101'"
