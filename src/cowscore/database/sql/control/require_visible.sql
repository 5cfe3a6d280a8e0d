-- Raises unless the session exists; a login made for one session sees that one only.
create or replace function cowscore.require_visible(session uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
begin
    if starts_with(session_user::text, 'cowscore_s_') and session is distinct from cowscore.session()
        or not exists (select from cowscore.sessions s where s.id = session)
    then
        raise exception 'session % does not exist', session
            using errcode = 'CW002', hint = 'cowscore.open_session opens one.';
    end if;
end
$cowscore$;
