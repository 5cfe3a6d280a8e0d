cowscore try --on-end discard -- psql -q -c "delete from tasks where id = 'T-101'"
