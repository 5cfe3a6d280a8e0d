cowscore session commit $SESSION --on-conflict merge || echo "exit code $?"
cowscore session commit $SESSION --on-conflict ours
psql "$COWSCORE_DSN" -c "select id, title, status from tasks where id in ('T-101', 'T-104') order by id"
