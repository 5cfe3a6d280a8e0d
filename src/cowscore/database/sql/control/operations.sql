-- The operations of a session in the order of their first writes.
create or replace function cowscore.operations(session uuid)
returns table (id uuid, ordinal bigint, label text, tables text[], committed_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
begin
    perform cowscore.require_visible(session);
    perform cowscore.require_enabled(session);
    return query
    select o.id, row_number() over (order by o.first_seq), o.label, coalesce(w.tables, '{}'), o.committed_at
    from cowscore.operations o
    join (
        select v.operation, array_agg(distinct v.table_name::text order by v.table_name::text) as tables
        from cowscore.versions(session) v
        group by v.operation
    ) w on w.operation = o.id
    where o.session_id = session
    order by o.first_seq;
end
$cowscore$;
