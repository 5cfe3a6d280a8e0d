-- Rows that both production and the session changed. `columns`: what production changed; `mine`: what the session did.
create or replace function cowscore.conflicts(session uuid, operations uuid[] default null)
returns table (schema_name name, table_name name, entity bigint, key jsonb, reason text, columns text[], mine text[],
               before jsonb, base jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _t record;
begin
    perform cowscore.require_visible(session);
    perform cowscore.require_enabled(session);
    for _t in
        select p.schema_name, p.table_name, p.functions_schema, p.functions_prefix, array_agg(p.seq) as seqs
        from cowscore.pending(session, operations) p
        group by 1, 2, 3, 4
        order by 1, 2
    loop
        return query execute format(
            'select $1, $2, c.entity, c.key, c.reason, c.columns, (select array_agg(distinct n) from %I.%I($3) v, '
            'unnest(v.columns) n where v.entity = c.entity and v.seq = any ($4)), c.before, c.base from %I.%I($3, $4) c',
            _t.functions_schema, _t.functions_prefix || 'versions', _t.functions_schema, _t.functions_prefix || 'conflicts'
        ) using _t.schema_name, _t.table_name, session, _t.seqs;
    end loop;
end
$cowscore$;
