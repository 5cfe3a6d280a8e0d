SESSION=$(cowscore session open --name "For a program")
psql -q "$(cowscore session dsn $SESSION)" -c "update tasks set status = 'done' where id = 'T-101'"
cowscore session diff $SESSION --json
