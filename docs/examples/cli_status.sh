psql -q "$COWSCORE_DSN" -c "alter table tasks add estimate integer"
cowscore status || echo "exit code $?"
cowscore enable
