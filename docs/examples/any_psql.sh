psql -q "$INSIDE" -c "update tasks set status = 'doing' where id = 'T-102'"
psql "$INSIDE" -c "select id, status from tasks order by id"
