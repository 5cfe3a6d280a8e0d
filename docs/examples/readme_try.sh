cowscore try --on-end discard -- psql -q -c "update tasks set status = 'done' where status = 'doing'"
