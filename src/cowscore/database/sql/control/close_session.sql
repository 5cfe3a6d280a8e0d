-- Closes a session: from now on it cannot change. Waits for transactions that are writing to it.
create or replace function cowscore.close_session(session uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
begin
    perform cowscore.lock_session(session, array['open']);
    update cowscore.sessions s set state = 'closed', closed_at = clock_timestamp() where s.id = session;
    perform cowscore.retire_session(session);
end
$cowscore$;
