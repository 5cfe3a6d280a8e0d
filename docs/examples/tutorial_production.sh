psql "$COWSCORE_DSN" -c "select id, title, status from tasks order by id"
