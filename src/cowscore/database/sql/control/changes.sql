-- Every written version of a session with the row before and after it, in the order of writing.
create or replace function cowscore.changes(session uuid)
returns table (seq bigint, operation uuid, schema_name name, table_name name, key jsonb, kind text, before jsonb, after jsonb,
               derived boolean, written_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _parts text;
begin
    perform cowscore.require_visible(session);
    perform cowscore.require_enabled(session);
    select string_agg(format(
        'select h.seq, h.operation, %L::name, %L::name, h.key, case h.kind when ''I'' then ''insert'' when ''U'' then '
        '''update'' else ''delete'' end, h.before, h.after, h.derived, h.written_at from %I.%I($1) h',
        f.schema_name, f.table_name, f.functions_schema, f.functions_prefix || 'history'
    ), ' union all ') into _parts
    from cowscore.functions_of() f;
    if _parts is not null then
        return query execute _parts || ' order by 1' using session;
    end if;
end
$cowscore$;
