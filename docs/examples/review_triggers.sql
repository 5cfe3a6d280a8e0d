create table audit (id integer generated always as identity primary key, task_id text, at timestamptz default now());
create function note_task() returns trigger language plpgsql as $$
begin
    insert into audit (task_id) values (new.id);
    return new;
end
$$;
create trigger note_task after insert or update on tasks for each row execute function note_task();
