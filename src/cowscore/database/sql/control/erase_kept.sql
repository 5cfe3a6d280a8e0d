-- Throws away what a session has in changes tables that were put aside.
create or replace function cowscore.erase_kept(session uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _k record;
begin
    for _k in
        select s.changes_schema, k.kept_name from cowscore.held h
        join cowscore.kept k using (schema_name, kept_name)
        join cowscore.schemas s using (schema_name)
        where h.session_id = session
    loop
        execute format('delete from %I.%I c where c._cow_session = $1', _k.changes_schema, _k.kept_name) using session;
    end loop;
    delete from cowscore.held h where h.session_id = session;
end
$cowscore$;
