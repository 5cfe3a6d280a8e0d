SESSION=$(cowscore session open --name "An agent with SQL")
OTHER=$(cowscore session open --name "Somebody else")
tries() { psql -q "$(cowscore session dsn $SESSION)" -c "$1" 2>&1 | grep -o "ERROR: .*" || echo "no error"; }
tries "update public.tasks set status = 'done'"
tries "select count(*) from public.tasks"
tries "set role postgres"
tries "select cowscore.unbind()"
tries "select cowscore.bind('$OTHER')"
tries "select * from cowscore.changes('$OTHER')"
tries "select cowscore.commit('$SESSION')"
tries "select * from public_cow_changes.tasks"
tries "reset all; reset role; set cowscore.session = ''; delete from tasks"
psql "$COWSCORE_DSN" -c "select count(*) as tasks_in_production from tasks"
