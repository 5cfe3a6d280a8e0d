-- A deferrable constraint: fires when PostgreSQL would check the original, for one version of one row.
create function {function}() returns trigger
language plpgsql volatile security definer
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $cowscore$
#variable_conflict use_column
declare
    _cow_s pg_catalog.uuid := NEW._cow_session;
    _cow_from pg_catalog.int8 := NEW._cow_seq;
    _cow_upto pg_catalog.int8 := NEW._cow_seq;
    _cow_g pg_catalog.record;
begin
    if pg_catalog.pg_trigger_depth() operator(pg_catalog.>) 1 then
        -- Immediate, and a row of a statement that still runs: PostgreSQL would check at the statement's end.
        perform pg_catalog.set_config({flag}, 'on', true);
        return null;
    end if;
    if (cowscore.session() operator(pg_catalog.=) _cow_s) is not true then
        raise exception 'session % was left before its deferred constraints were checked', _cow_s using errcode = 'CW001';
    end if;
    {checks}
    return null;
end
$cowscore$
