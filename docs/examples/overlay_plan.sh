psql -q "$COWSCORE_DSN" -c "insert into tasks (id, title) select 'T-' || n, 'Task ' || n from generate_series(1000, 20000) n" \
    -c "analyze tasks"
psql "$(cowscore session dsn $SESSION)" -c "explain select * from tasks where id = 'T-5000'" | grep -o "Index Scan using tasks_pkey on tasks"
psql "$(cowscore session dsn $SESSION)" -c "explain select * from tasks where id = 'T-5000'" | grep -c "Seq Scan" || true
