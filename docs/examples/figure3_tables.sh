psql -q "$COWSCORE_DSN" <<'SQL'
create table tasks (id text primary key, status text not null);
create table comments (id text primary key, task_id text not null references tasks);
insert into tasks values ('T-103', 'todo');
SQL
cowscore enable
