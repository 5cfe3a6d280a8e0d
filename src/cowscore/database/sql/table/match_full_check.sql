    if exists (
        select from {changes} c
        where c._cow_session operator(pg_catalog.=) _cow_s
          and c._cow_seq operator(pg_catalog.>=) _cow_from and c._cow_seq operator(pg_catalog.<=) _cow_upto
          and c._cow_head and c._cow_kind operator(pg_catalog.=) any (array['I'::pg_catalog."char", 'U'::pg_catalog."char"])
          and ({child_some_null}) and ({child_some_not_null})
    ) then
        raise exception
            using message = {message}, errcode = '23503', detail = 'MATCH FULL does not allow mixing of null and nonnull key values.',
                  schema = {schema_literal}, table = {table_literal}, constraint = {constraint_literal};
    end if;
