pgbench -i -s 1 -q "$COWSCORE_DSN" 2>/dev/null
cowscore enable >/dev/null
BENCH=$(cowscore session open --name pgbench)
pgbench -n -c 2 -t 10 "$(cowscore session dsn $BENCH)" 2>/dev/null | grep "actually processed"
psql "$COWSCORE_DSN" -c "select count(*) as history_in_production from pgbench_history"
