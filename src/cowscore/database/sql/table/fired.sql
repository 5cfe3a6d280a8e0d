-- What the session wrote since the AFTER ROW triggers fired last, in order: each row is handed out once.
create function {function}() returns table (kind pg_catalog."char", old_row {rows}, new_row {rows})
language plpgsql volatile security definer
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $cowscore$
#variable_conflict use_column
declare
    _cow_s pg_catalog.uuid := cowscore.session();
    _cow_from pg_catalog.int8 := cowscore.unfired_since({oid});
    _cow_upto pg_catalog.int8;
begin
    select pg_catalog.max(c._cow_seq) into _cow_upto from {changes} c
    where c._cow_session operator(pg_catalog.=) _cow_s and c._cow_seq operator(pg_catalog.>=) _cow_from;
    if _cow_upto is null then
        return;
    end if;
    perform pg_catalog.set_config({mark}, (_cow_upto operator(pg_catalog.+) 1)::pg_catalog.text, true);
    return query
    select c._cow_kind, row({old_all})::{rows}, row({new_all})::{rows}
    from {changes} c
    left join {changes} o on o._cow_session operator(pg_catalog.=) _cow_s and o._cow_seq operator(pg_catalog.=) c._cow_prev
    where c._cow_session operator(pg_catalog.=) _cow_s
      and c._cow_seq operator(pg_catalog.>=) _cow_from and c._cow_seq operator(pg_catalog.<=) _cow_upto
      and c._cow_kind in ('I', 'U', 'D')
    order by c._cow_seq;
end
$cowscore$
