-- Throws a session away, or the selected operations of an open one together with nothing that others build on.
create or replace function cowscore.discard(session uuid, operations uuid[] default null) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _t record;
begin
    perform cowscore.lock_session(session, case when operations is null then array['open', 'closed'] else array['open'] end);
    if operations is null then
        perform cowscore.erase_kept(session);
    end if;
    perform cowscore.require_enabled(session);
    if operations is not null then
        perform cowscore.require_closed(session, operations, true);
    end if;
    for _t in select * from cowscore.functions_of() loop
        execute format('select %I.%I($1, $2)', _t.functions_schema, _t.functions_prefix || 'erase') using session, operations;
    end loop;
    if operations is null then
        delete from cowscore.operations o where o.session_id = session;
        update cowscore.sessions s set state = 'discarded', closed_at = coalesce(s.closed_at, clock_timestamp())
        where s.id = session;
        perform cowscore.retire_session(session);
    else
        delete from cowscore.writers w where w.session_id = session and w.operation_id = any (operations);
        delete from cowscore.operations o where o.session_id = session and o.id = any (operations);
        perform cowscore.rehead(session);
    end if;
end
$cowscore$;
