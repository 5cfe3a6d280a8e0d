-- Called for every row that a session writes: the operation that the write belongs to.
create or replace function cowscore.begin_write() returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _session uuid := cowscore.session();
    _explicit uuid := nullif(current_setting('cowscore.operation', true), '')::uuid;
    _operation uuid;
begin
    if _explicit is null then
        select w.operation_id into _operation from cowscore.writers w
        where w.transaction = pg_current_xact_id() and w.session_id = _session and w.implicit;
    else
        select w.operation_id into _operation from cowscore.writers w
        where w.transaction = pg_current_xact_id() and w.session_id = _session and w.operation_id = _explicit;
    end if;
    if found then
        return _operation;
    end if;
    return cowscore.first_write(_session, _explicit);
end
$cowscore$;
