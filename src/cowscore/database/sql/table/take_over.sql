-- A row deleted in this session and inserted again goes on as the same row; a key that was moved away is free.
    if _cow_p is not null then
        update {changes} c set _cow_head = false
        where c._cow_session operator(pg_catalog.=) _cow_s and c._cow_seq operator(pg_catalog.=) _cow_p;
        if _cow_k operator(pg_catalog.=) 'K'::pg_catalog."char" then
            _cow_r := null;
            _cow_p := null;
        end if;
    end if;
