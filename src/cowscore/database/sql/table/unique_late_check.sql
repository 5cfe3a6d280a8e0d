    select {values} into _cow_g from {changes} c
    where c._cow_session operator(pg_catalog.=) _cow_s
      and c._cow_seq operator(pg_catalog.>=) _cow_from and c._cow_seq operator(pg_catalog.<=) _cow_upto
      and c._cow_head
      and c._cow_kind operator(pg_catalog.=) any (array['I'::pg_catalog."char", 'U'::pg_catalog."char"])
      and exists (select from {view} v where {matches} and not ({same_row}) offset 0)
    limit 1;
    if found then
        raise exception
            using message = {message}, errcode = {sqlstate}, detail = pg_catalog.format({detail}, {detail_values}),
                  schema = {schema_literal}, table = {table_literal}, constraint = {constraint_literal};
    end if;
