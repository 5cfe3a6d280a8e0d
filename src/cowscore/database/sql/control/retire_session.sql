-- What a session leaves behind once it is no longer open: its login goes, and the proof of its writers.
create or replace function cowscore.retire_session(session uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _role name;
begin
    delete from cowscore.writers w where w.session_id = session and w.transaction <> pg_current_xact_id();
    delete from cowscore.logins l where l.session_id = session returning l.role_name into _role;
    if found and exists (select from pg_roles where rolname = _role) then
        execute format('drop role %I', _role);
    end if;
end
$cowscore$;
