-- One statement against base, under the application's own search_path as its triggers need it; returns the number of rows.
create or replace function cowscore.apply_run(
    session uuid, seqs bigint[], functions_schema name, functions_prefix text, kind "char", columns text[]
) returns bigint
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _written bigint;
begin
    perform set_config('search_path', s.search_path, true) from cowscore.schemas s
    where s.functions_schema = apply_run.functions_schema;
    execute pg_catalog.format('select %I.%I($1, $2, $3, $4)', functions_schema, functions_prefix operator(pg_catalog.||) 'apply')
        into _written using session, seqs, kind, columns;
    return _written;
end
$cowscore$;
