    select {old_values} into _cow_g
    from {changes} c
    join {changes} o on o._cow_session operator(pg_catalog.=) _cow_s and o._cow_seq operator(pg_catalog.=) c._cow_prev
    where c._cow_session operator(pg_catalog.=) _cow_s
      and c._cow_seq operator(pg_catalog.>=) _cow_from and c._cow_seq operator(pg_catalog.<=) _cow_upto
      and {went_away}
      and exists (select from {child} v where {child_matches} offset 0)
      {and_not_replaced}
    limit 1;
    if found then
        raise exception
            using message = {message}, errcode = {sqlstate}, detail = pg_catalog.format({detail}, {detail_values}),
                  schema = {child_schema_literal}, table = {child_table_literal}, constraint = {constraint_literal};
    end if;
