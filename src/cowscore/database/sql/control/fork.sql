-- A new open session that starts with the operations of another (null: all of them).
create or replace function cowscore.fork(session uuid, operations uuid[] default null, name text default null) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _t record;
    _fork uuid;
begin
    perform cowscore.lock_session(session, array['open', 'closed', 'committed']);
    perform cowscore.require_enabled(session);
    if operations is not null then
        perform cowscore.require_closed(session, operations, false);
    end if;
    insert into cowscore.sessions (name, kind, metadata, forked_from)
    select coalesce(fork.name, s.name), s.kind, s.metadata, s.id from cowscore.sessions s where s.id = session
    returning id into _fork;
    insert into cowscore.operations (session_id, id, first_seq, label, committed_at)
    select _fork, o.id, o.first_seq, o.label, o.committed_at from cowscore.operations o
    where o.session_id = session and (operations is null or o.id = any (operations));
    for _t in select * from cowscore.functions_of() loop
        execute format('select %I.%I($1, $2, $3)', _t.functions_schema, _t.functions_prefix || 'copy')
            using session, _fork, operations;
    end loop;
    perform cowscore.rehead(_fork);
    return _fork;
end
$cowscore$;
