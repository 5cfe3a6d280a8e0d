-- Where the writes of this transaction begin that the table's AFTER ROW triggers have not fired for; null for none.
create or replace function cowscore.unfired_since(table_oid oid) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _from bigint := nullif(current_setting('cowscore.fired_' || table_oid, true), '')::bigint;
begin
    if _from is null then
        select min(w.first_seq) into _from from cowscore.writers w
        where w.transaction = pg_current_xact_id_if_assigned() and w.session_id = cowscore.session();
    end if;
    return _from;
end
$cowscore$;
