    -- Changed since the statement's snapshot: by this transaction, then a row is written once; else the new values stand
    -- on old ones, which would lose what the other transaction wrote.
    if exists (
        select from {base} b
        where {key_is_old} and not {row_is_old}
          and b.xmin operator(pg_catalog.<>) pg_catalog.pg_current_xact_id()::pg_catalog.xid
    ) then
        raise exception 'could not serialize access due to concurrent update' using errcode = '40001';
    end if;
