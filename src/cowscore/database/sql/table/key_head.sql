    -- What the session has at the key: a row, or the mark of one that it deleted or moved away.
    select c._cow_row, c._cow_seq, c._cow_kind into _cow_r, _cow_p, _cow_k from {changes} c
    where c._cow_session operator(pg_catalog.=) _cow_s and c._cow_head and {key_is_new};
