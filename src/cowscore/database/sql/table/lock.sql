-- Locks the base rows that the given versions start from, in key order.
create function {function}(session pg_catalog.uuid, seqs pg_catalog.int8[]) returns void
language plpgsql volatile
as $cowscore$
begin
    perform from {base} b
    where exists (
        select from {changes} c
        join {changes} o on o._cow_session operator(pg_catalog.=) $1 and o._cow_seq operator(pg_catalog.=) c._cow_prev
        where c._cow_session operator(pg_catalog.=) $1 and c._cow_seq operator(pg_catalog.=) any ($2)
          and c._cow_kind operator(pg_catalog.<>) 'I'::pg_catalog."char" and {same_key}
    )
    order by {key}
    for update;
end
$cowscore$
