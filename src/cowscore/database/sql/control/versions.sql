-- Every version that a session wrote to any table.
create or replace function cowscore.versions(session uuid)
returns table (schema_name name, table_name name, functions_schema name, functions_prefix text, bookkeeping boolean,
               seq bigint, entity bigint, prev bigint, kind "char", operation uuid, derived boolean, columns text[],
               one_by_one boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _t record;
begin
    for _t in select * from cowscore.functions_of() loop
        return query execute format(
            'select $1, $2, $3, $4, $5, v.* from %I.%I($6) v', _t.functions_schema, _t.functions_prefix || 'versions'
        ) using _t.schema_name, _t.table_name, _t.functions_schema, _t.functions_prefix, _t.bookkeeping, session;
    end loop;
end
$cowscore$;
