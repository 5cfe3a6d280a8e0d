-- One statement against base; returns the number of rows it wrote.
create or replace function cowscore.apply_run(
    session uuid, seqs bigint[], functions_schema name, functions_prefix text, kind "char", columns text[]
) returns bigint
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _written bigint;
begin
    execute format('select %I.%I($1, $2, $3, $4)', functions_schema, functions_prefix || 'apply')
        into _written using session, seqs, kind, columns;
    return _written;
end
$cowscore$;
