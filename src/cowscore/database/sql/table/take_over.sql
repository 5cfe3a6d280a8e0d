-- A row deleted in this session and inserted again goes on as the same row; a key that was moved away is free.
    update {changes} c set _cow_head = false
    where c._cow_session operator(pg_catalog.=) _cow_s and c._cow_head and {key_is_new}
    returning c._cow_row, c._cow_seq, c._cow_kind into _cow_r, _cow_p, _cow_k;
    if _cow_k operator(pg_catalog.=) 'K'::pg_catalog."char" then
        _cow_r := null;
        _cow_p := null;
    end if;
