cowscore enable --using "tasks.summary=left(summary, 15)"
psql -q "$(cowscore session dsn $SESSION)" -c "select id, summary from tasks where id = 'T-104'"
