-- Sets the heads of a session anew in every table.
create or replace function cowscore.rehead(session uuid) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _t record;
begin
    for _t in select * from cowscore.functions_of() loop
        execute format('select %I.%I($1)', _t.functions_schema, _t.functions_prefix || 'rehead') using session;
    end loop;
end
$cowscore$;
