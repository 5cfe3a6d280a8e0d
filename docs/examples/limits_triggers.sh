psql -q "$COWSCORE_DSN" <<'SQL'
create table history (task_id text, what text);
create function note() returns trigger language plpgsql as
$$ begin insert into history values (new.id, tg_op); return null; end $$;
create trigger note after update on tasks for each row execute function note();
create trigger seldom after update on tasks for each row when (pg_trigger_depth() = 0) execute function note();
SQL
cowscore enable | grep tasks
psql -q -At "$(cowscore session dsn $SESSION)" -c "update tasks set title = title || '!' where id = 'T-101'" \
  -c "select * from history"
psql -q -At "$COWSCORE_DSN" -c "select count(*) from history"
