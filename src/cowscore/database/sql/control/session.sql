-- The session that this connection is in, null for none. A login made for one session is in that session whatever its
-- settings say. Not pinned to a search_path, which would cost more than the function itself: every name is qualified.
create or replace function cowscore.session() returns uuid
language sql stable parallel safe
as $cowscore$
select case
    when pg_catalog.starts_with(session_user::pg_catalog.text, 'cowscore_s_')
        then pg_catalog.substr(session_user::pg_catalog.text, 12)::pg_catalog.uuid
    when pg_catalog.current_setting('cowscore.session', true) operator(pg_catalog.<>) ''
        then pg_catalog.current_setting('cowscore.session', true)::pg_catalog.uuid
end
$cowscore$;
