-- The login role of a session, made if there is none yet. Only the owner's side may call it.
create or replace function cowscore.login(session uuid, schemas name[]) returns table (role_name name, password text, created boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _created boolean := false;
    _role name := 'cowscore_s_' || replace(session::text, '-', '');
    _password text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
    perform cowscore.lock_session(session, array['open']);
    perform cowscore.require_carried(session);
    if not exists (select from cowscore.logins l where l.session_id = session) then
        if exists (select from pg_roles where rolname = _role) then
            execute format('drop role %I', _role);
        end if;
        execute format('create role %I login inherit nocreatedb nocreaterole in role cowscore_agent password %L', _role, _password);
        execute format('alter role %I in database %I set search_path = %s', _role, current_database(), cowscore.session_path(schemas));
        execute format('alter role %I set jit = off', _role);
        insert into cowscore.logins (session_id, role_name, password) values (session, _role, _password);
        _created := true;
    end if;
    return query select l.role_name, l.password, _created from cowscore.logins l where l.session_id = session;
end
$cowscore$;
