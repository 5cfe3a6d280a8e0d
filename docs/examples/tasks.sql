create table tasks (
    id text primary key,
    title text not null,
    status text not null default 'todo' check (status in ('todo', 'doing', 'done')),
    due_date date
);
create table comments (
    id integer generated always as identity primary key,
    task_id text not null references tasks on delete cascade,
    body text not null,
    created_at timestamptz not null default now()
);
insert into tasks (id, title, status) values
    ('T-101', 'Write the release notes', 'doing'),
    ('T-102', 'Order the stickers', 'todo'),
    ('T-103', 'Book the room', 'todo');
