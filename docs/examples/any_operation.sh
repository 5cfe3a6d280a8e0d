NEXT=00000000-0000-4000-8000-000000000001
psql -q "$(cowscore session dsn $SESSION --operation $NEXT)" \
    -c "set cowscore.label = 'plan the agenda'" \
    -c "insert into tasks (id, title) values ('T-104', 'Print the agenda')" \
    -c "insert into comments (task_id, body) values ('T-104', 'On thick paper')"
cowscore session ops $SESSION
