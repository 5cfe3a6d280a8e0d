insert into cowscore.schemas (schema_name, layout, view_schema, changes_schema, functions_schema, search_path, excluded,
                              bookkeeping, trusted_functions)
values ({schema}, {layout}, {view}, {changes}, {functions}, {search_path}, {excluded}::text[], {bookkeeping}::text[], {trusted}::text[])
on conflict (schema_name) do update
set enabled = true, layout = excluded.layout, migrating = false, search_path = excluded.search_path, excluded = excluded.excluded, bookkeeping = excluded.bookkeeping,
    trusted_functions = excluded.trusted_functions, enabled_at = pg_catalog.clock_timestamp()
