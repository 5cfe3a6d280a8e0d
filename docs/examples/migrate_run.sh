cat > migration.sql <<'SQL'
alter table tasks rename column title to summary;
alter table tasks add column priority integer not null default 3;
SQL
cowscore migrate -- psql -q "$COWSCORE_DSN" -f migration.sql
psql -q "$(cowscore session dsn $SESSION)" -c "select id, summary, status, priority from tasks order by id"
