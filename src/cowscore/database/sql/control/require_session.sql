-- Raises unless the session exists and is open.
create or replace function cowscore.require_session(session uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _state text;
begin
    if session is null then
        raise exception 'no session given' using errcode = 'CW001', hint = 'Pass the id that cowscore.open_session returned.';
    end if;
    if starts_with(session_user::text, 'cowscore_s_') and session is distinct from cowscore.session() then
        raise exception 'this login belongs to session % and cannot enter session %', cowscore.session(), session
            using errcode = 'CW002';
    end if;
    select s.state into _state from cowscore.sessions s where s.id = session;
    if not found then
        raise exception 'session % does not exist', session
            using errcode = 'CW002', hint = 'cowscore.open_session opens one.';
    end if;
    if _state <> 'open' then
        raise exception 'session % is %', session, _state
            using errcode = 'CW003', hint = 'A session that is no longer open cannot change; fork it to go on from there.';
    end if;
    perform cowscore.require_carried(session);
end
$cowscore$;
