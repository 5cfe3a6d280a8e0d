-- Locks a session against writers; raises unless it exists and is in one of the states. Only the owner's side may call it.
create or replace function cowscore.lock_session(session uuid, states text[]) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _state text;
begin
    select s.state into _state from cowscore.sessions s where s.id = session for update;
    if not found then
        raise exception 'session % does not exist', session
            using errcode = 'CW002', hint = 'cowscore.open_session opens one.';
    end if;
    if _state <> all (states) then
        raise exception 'session % is %', session, _state
            using errcode = 'CW003', hint = format('This needs a session that is %s.', array_to_string(states, ' or '));
    end if;
end
$cowscore$;
