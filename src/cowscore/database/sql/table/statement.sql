-- At the end of a statement on the view: referential actions, and constraints that are not deferred.
create function {function}() returns trigger
language plpgsql volatile security definer
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $cowscore$
#variable_conflict use_column
declare
    _cow_s pg_catalog.uuid := cowscore.session();
    _cow_from pg_catalog.int8 := cowscore.unchecked_since({oid});
    _cow_upto pg_catalog.int8;
    _cow_g pg_catalog.record;
begin
    if _cow_from is null then
        return null;
    end if;
    select pg_catalog.max(c._cow_seq) into _cow_upto from {changes} c
    where c._cow_session operator(pg_catalog.=) _cow_s and c._cow_seq operator(pg_catalog.>=) _cow_from;
    if _cow_upto is null then
        return null;
    end if;
    perform pg_catalog.set_config({mark}, (_cow_upto operator(pg_catalog.+) 1)::pg_catalog.text, true);
    {checks}
    return null;
end
$cowscore$
