-- Raises CW007 while a schema is being migrated, and CW008 where versions of the session did not fit a table that changed.
create or replace function cowscore.require_carried(session uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _schema name;
    _h record;
begin
    select s.schema_name into _schema from cowscore.schemas s where s.migrating limit 1;
    if found then
        raise exception 'schema % is being migrated', _schema
            using errcode = 'CW007',
                  hint = 'Wait until `cowscore migrate` has ended; if it was killed, `cowscore enable` puts the overlay back.';
    end if;
    select k.schema_name, k.table_name, k.kept_name, h.reason into _h
    from cowscore.held h
    join cowscore.kept k using (schema_name, kept_name)
    where h.session_id = session and h.blocks
    order by k.table_name
    limit 1;
    if found then
        raise exception 'changes of session % to %.% do not fit the table any more: %',
                session, _h.schema_name, _h.table_name, _h.reason
            using errcode = 'CW008',
                  hint = 'Nothing of them is lost. `cowscore enable` tries again, `cowscore enable --using` says how; or discard the session.';
    end if;
end
$cowscore$;
