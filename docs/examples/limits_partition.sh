psql -q "$COWSCORE_DSN" <<'SQL'
drop function wipe;
create table sales (id integer, region text, primary key (id, region)) partition by list (region);
create table sales_eu partition of sales for values in ('eu');
SQL
cowscore enable
psql -q "$(cowscore session dsn $SESSION)" -c "insert into sales values (1, 'eu'), (2, 'us')"
cowscore session rehearse $SESSION || echo "exit code $?"
