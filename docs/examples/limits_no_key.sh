psql -q "$COWSCORE_DSN" -c "create table visits (at timestamptz, page text)" -c "insert into visits values (now(), '/')"
cowscore enable
psql -q "$(cowscore session dsn $SESSION)" -c "insert into visits values (now(), '/about')"
psql -q -v VERBOSITY=verbose "$(cowscore session dsn $SESSION)" -c "delete from visits" 2>&1 | grep -o "ERROR: .*"
