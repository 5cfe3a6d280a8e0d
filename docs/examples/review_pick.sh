cowscore session commit $SESSION -o $PAPER || echo "exit code $?"
psql "$COWSCORE_DSN" -c "select * from cowscore.dependencies('$SESSION')"
