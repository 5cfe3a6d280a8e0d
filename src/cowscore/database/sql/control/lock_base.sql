-- Locks the base rows that a commit would change, table after table in registry order, rows in key order.
create or replace function cowscore.lock_base(session uuid, operations uuid[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _t record;
begin
    for _t in
        select f.functions_schema, f.functions_prefix, array_agg(p.seq) as seqs
        from cowscore.pending(session, operations) p
        join cowscore.tables t on t.schema_name = p.schema_name and t.table_name = p.table_name
        join cowscore.functions_of() f on f.schema_name = p.schema_name and f.table_name = p.table_name
        group by f.functions_schema, f.functions_prefix, t.schema_name, t.position
        order by t.schema_name, t.position
    loop
        execute format('select %I.%I($1, $2)', _t.functions_schema, _t.functions_prefix || 'lock') using session, _t.seqs;
    end loop;
end
$cowscore$;
