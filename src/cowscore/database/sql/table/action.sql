    for _cow_g in
        select {old_values}{new_values}
        from {changes} c
        join {changes} o on o._cow_session operator(pg_catalog.=) _cow_s and o._cow_seq operator(pg_catalog.=) c._cow_prev
        where c._cow_session operator(pg_catalog.=) _cow_s
          and c._cow_seq operator(pg_catalog.>=) _cow_from and c._cow_seq operator(pg_catalog.<=) _cow_upto
          and {went_away}
        order by c._cow_seq
    loop
        {statement};
    end loop;
