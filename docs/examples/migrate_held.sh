LONG="alter table tasks add constraint brief check (length(summary) <= 15)"
psql -q "$COWSCORE_DSN" -c "update tasks set summary = left(summary, 15)"
cowscore migrate -- psql -q "$COWSCORE_DSN" -c "$LONG" || echo "exit code $?"
cowscore session show $SESSION || echo "exit code $?"
