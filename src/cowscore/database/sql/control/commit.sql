-- Writes a session (or the selected operations of it) to base, in this transaction, all or nothing. Returns the number of
-- rows written. on_conflict: abort, ours, theirs, merge.
create or replace function cowscore.commit(session uuid, operations uuid[] default null, on_conflict text default 'abort')
returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _written bigint;
begin
    if on_conflict is null or on_conflict not in ('abort', 'ours', 'theirs', 'merge') then
        raise exception 'on_conflict is %, but must be abort, ours, theirs or merge', coalesce(on_conflict, 'null')
            using errcode = '22023';
    end if;
    perform cowscore.lock_session(session, array['open', 'closed']);
    perform cowscore.require_enabled(session);
    if operations is not null then
        perform cowscore.require_closed(session, operations, false);
    end if;
    set constraints all deferred;
    perform cowscore.lock_base(session, operations);
    _written := cowscore.replay(session, operations, on_conflict);
    -- Deferred triggers of the application fire here.
    perform set_config('search_path', s.search_path, true) from cowscore.schemas s
    where s.enabled order by s.enabled_at desc limit 1;
    set constraints all immediate;
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    update cowscore.operations o set committed_at = clock_timestamp()
    where o.session_id = session and o.committed_at is null and (operations is null or o.id = any (operations));
    perform cowscore.rehead(session);
    if not exists (select from cowscore.operations o where o.session_id = session and o.committed_at is null) then
        update cowscore.sessions s set state = 'committed', closed_at = coalesce(s.closed_at, clock_timestamp())
        where s.id = session;
        perform cowscore.retire_session(session);
    end if;
    return _written;
end
$cowscore$;
