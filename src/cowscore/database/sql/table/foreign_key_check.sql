    select {child_values} into _cow_g from {changes} c
    where c._cow_session operator(pg_catalog.=) _cow_s
      and c._cow_seq operator(pg_catalog.>=) _cow_from and c._cow_seq operator(pg_catalog.<=) _cow_upto
      and c._cow_head and c._cow_kind operator(pg_catalog.=) any (array['I'::pg_catalog."char", 'U'::pg_catalog."char"])
      and {child_not_null}
      and not exists (select from {parent} p where {parent_matches} offset 0)
      and not exists (
          select from {changes} o
          where o._cow_session operator(pg_catalog.=) _cow_s and o._cow_seq operator(pg_catalog.=) c._cow_prev
            and c._cow_kind operator(pg_catalog.=) 'U'::pg_catalog."char" and {child_unchanged}
      )
    limit 1;
    if found then
        raise exception
            using message = {message}, errcode = '23503', detail = pg_catalog.format({detail}, {detail_values}),
                  schema = {schema_literal}, table = {table_literal}, constraint = {constraint_literal};
    end if;
