-- The key changed: the old place stays hidden, and a tombstone at the new place ends.
    if {key_changed} then
        insert into {changes} ({stored}, _cow_session, _cow_operation, _cow_seq, _cow_row, _cow_prev, _cow_kind, _cow_head,
                               _cow_derived)
        values ({old_stored}, _cow_s, _cow_op, pg_catalog.nextval('cowscore.change_seq'), _cow_r, _cow_p, 'K', true,
                pg_catalog.pg_trigger_depth() operator(pg_catalog.>) 1);
        update {changes} c set _cow_head = false
        where c._cow_session operator(pg_catalog.=) _cow_s and c._cow_head and {key_is_new};
    end if;
