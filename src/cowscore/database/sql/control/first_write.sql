-- The first write of a transaction for an operation: takes the session's write lock and checks that it is open.
-- Under REPEATABLE READ the update fails with 40001 if another transaction wrote to the session meanwhile.
create or replace function cowscore.first_write(session uuid, explicit uuid) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _state text;
    _operation uuid := coalesce(explicit, gen_random_uuid());
    _seq bigint;
    _committed boolean;
begin
    if session is null then
        raise exception 'no session is bound to this connection'
            using errcode = 'CW001', hint = 'Call cowscore.bind(session) first; nothing was written.';
    end if;
    update cowscore.sessions s set written_at = clock_timestamp() where s.id = session returning s.state into _state;
    if not found then
        raise exception 'session % does not exist', session using errcode = 'CW002';
    end if;
    if _state <> 'open' then
        raise exception 'session % is %', session, _state
            using errcode = 'CW003', hint = 'A session that is no longer open cannot change; fork it to go on from there.';
    end if;
    perform cowscore.require_carried(session);
    _seq := nextval('cowscore.change_seq');
    insert into cowscore.operations as o (session_id, id, first_seq, label)
    values (session, _operation, _seq, nullif(current_setting('cowscore.label', true), ''))
    on conflict (session_id, id) do update set label = coalesce(o.label, excluded.label)
    returning o.committed_at is not null into _committed;
    if _committed then
        raise exception 'operation % of session % is committed and cannot write again', _operation, session
            using errcode = 'CW003', hint = 'Bind with another operation.';
    end if;
    insert into cowscore.writers (transaction, session_id, operation_id, implicit, first_seq)
    values (pg_current_xact_id(), session, _operation, explicit is null, _seq);
    return _operation;
end
$cowscore$;
