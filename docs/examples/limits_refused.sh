SESSION=$(cowscore session open --name "Limits")
refused() { psql -q -v VERBOSITY=verbose "$(cowscore session dsn $SESSION)" -c "$1" 2>&1 | grep -o "ERROR: .*"; }
refused "truncate tasks"
refused "copy tasks to stdout"
refused "insert into tasks values ('T-101', 'x') on conflict (id) do update set title = 'x'"
refused "select t.id, t.title from tasks t group by t.id"
refused "update public.tasks set title = 'x'"
refused "create table other (id integer)"
refused "select * from tasks tablesample system (10)"
