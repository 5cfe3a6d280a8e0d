insert into cowscore.schemas (schema_name, layout, view_schema, changes_schema, functions_schema, excluded, bookkeeping,
                              trusted_functions)
values ({schema}, 'overlay', {view}, {changes}, {functions}, {excluded}::text[], {bookkeeping}::text[], {trusted}::text[])
on conflict (schema_name) do update
set enabled = true, excluded = excluded.excluded, bookkeeping = excluded.bookkeeping,
    trusted_functions = excluded.trusted_functions, enabled_at = pg_catalog.clock_timestamp()
