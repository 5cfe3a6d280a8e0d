-- For every row, the first of the given versions with the image that it started from.
    select distinct on (c._cow_row) c._cow_row as entity, c._cow_kind as kind, c as version, o as image
    from {changes} c
    left join {changes} o on o._cow_session operator(pg_catalog.=) $1 and o._cow_seq operator(pg_catalog.=) c._cow_prev
    where c._cow_session operator(pg_catalog.=) $1 and c._cow_seq operator(pg_catalog.=) any ($2)
    order by c._cow_row, c._cow_seq
