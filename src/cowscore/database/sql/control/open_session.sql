-- Opens a session: one row, no DDL. `id` lets the caller bring a UUID of its own.
create or replace function cowscore.open_session(
    name text default '', kind text default 'agent', metadata jsonb default '{}', id uuid default null
) returns uuid
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
insert into cowscore.sessions (id, name, kind, metadata)
values (coalesce(open_session.id, gen_random_uuid()), coalesce(open_session.name, ''),
        coalesce(open_session.kind, 'agent'), coalesce(open_session.metadata, '{}'))
returning sessions.id
$cowscore$;
