SESSION=$(cowscore session open --name "Release week")
DONE=00000000-0000-4000-8000-000000000001
AGENDA=00000000-0000-4000-8000-000000000002
PAPER=00000000-0000-4000-8000-000000000003
psql -q "$(cowscore session dsn $SESSION --operation $DONE)" -c "set cowscore.label = 'finish T-101'" \
    -c "update tasks set status = 'done' where id = 'T-101'"
psql -q "$(cowscore session dsn $SESSION --operation $AGENDA)" -c "set cowscore.label = 'new task'" \
    -c "insert into tasks (id, title) values ('T-104', 'Print the agenda')"
psql -q "$(cowscore session dsn $SESSION --operation $PAPER)" -c "set cowscore.label = 'comment'" \
    -c "insert into comments (task_id, body) values ('T-104', 'On thick paper')"
