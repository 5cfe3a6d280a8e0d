-- Without a key only the session's own rows can be told apart, by all their values.
    update {changes} c set _cow_head = false
    where c._cow_session operator(pg_catalog.=) _cow_s and c._cow_seq operator(pg_catalog.=) (
        select o._cow_seq from {changes} o
        where o._cow_session operator(pg_catalog.=) _cow_s and o._cow_head
          and o._cow_kind operator(pg_catalog.<>) 'D'::pg_catalog."char" and {own_row_is_old}
        order by o._cow_seq
        limit 1
    )
    returning c._cow_row, c._cow_seq into _cow_r, _cow_p;
    if not found then
        raise exception 'rows of table % cannot be changed in a session', {table_literal}
            using errcode = 'CW006', detail = 'The table has no primary key and no unique key over NOT NULL columns.',
                  hint = 'Add a primary key and run cowscore enable again.',
                  schema = {schema_literal}, table = {table_literal};
    end if;
