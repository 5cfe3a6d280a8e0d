-- The version that this statement saw stops being the head. Nothing found: never touched in this session (its base
-- image is kept). The session's write lock is held, so nothing changes between reading and writing here.
    select c._cow_row, c._cow_seq, c._cow_xid,
           c._cow_kind operator(pg_catalog.<>) 'D'::pg_catalog."char" and c._cow_kind operator(pg_catalog.<>) 'K'::pg_catalog."char"
               and {row_is_old}
    into _cow_r, _cow_p, _cow_x, _cow_seen
    from {changes} c
    where c._cow_session operator(pg_catalog.=) _cow_s and c._cow_head and {key_is_old};
    if _cow_seen then
        update {changes} c set _cow_head = false
        where c._cow_session operator(pg_catalog.=) _cow_s and c._cow_seq operator(pg_catalog.=) _cow_p;
    elsif found then
        if _cow_x operator(pg_catalog.=) pg_catalog.pg_current_xact_id() then
            return null; -- changed by this very statement: a row is written once
        end if;
        raise exception 'could not serialize access due to concurrent update'
            using errcode = '40001', hint = 'Another transaction of this session changed the row; retry.',
                  schema = {schema_literal}, table = {table_literal};
    else
        _cow_r := pg_catalog.nextval('cowscore.change_seq');
        _cow_p := _cow_r;
        insert into {changes} ({stored}, _cow_session, _cow_operation, _cow_seq, _cow_row, _cow_kind, _cow_head, _cow_derived)
        values ({old_stored}, _cow_s, _cow_op, _cow_r, _cow_r, 'B', false, false);
    end if;
