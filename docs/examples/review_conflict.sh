psql -q "$COWSCORE_DSN" -c "update tasks set title = 'Publish the release notes', status = 'todo' where id = 'T-101'"
cowscore session rehearse $SESSION || echo "exit code $?"
