-- Raises CW008 where changes of the session were put aside, CW007 where the session holds changes of a schema that was disabled since: they are kept, but out of reach.
create or replace function cowscore.require_enabled(session uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _t record;
    _held boolean;
begin
    perform cowscore.require_carried(session);
    for _t in
        select s.schema_name, s.changes_schema, t.table_name
        from cowscore.schemas s
        join cowscore.tables t using (schema_name)
        where not s.enabled and t.mode in ('session', 'insert_only')
    loop
        execute format('select exists (select from %I.%I c where c._cow_session = $1)', _t.changes_schema, _t.table_name)
            into _held using session;
        if _held then
            raise exception 'session % holds changes of schema %, which is not enabled', session, _t.schema_name
                using errcode = 'CW007', hint = 'The changes are kept. Enable the schema again to go on.';
        end if;
    end loop;
end
$cowscore$;
