create function {function}() returns trigger
language plpgsql volatile security definer
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $cowscore$
#variable_conflict use_column
declare
    _cow_s pg_catalog.uuid := cowscore.session();
    _cow_op pg_catalog.uuid := {begin_write};
    _cow_r pg_catalog.int8;
    _cow_p pg_catalog.int8;
    _cow_x pg_catalog.xid8;
    _cow_seen pg_catalog.bool;
begin
    {unbound}
    {retire}
    insert into {changes} ({stored}, _cow_session, _cow_operation, _cow_seq, _cow_row, _cow_prev, _cow_kind, _cow_head,
                           _cow_derived)
    values ({old_stored}, _cow_s, _cow_op, pg_catalog.nextval('cowscore.change_seq'), _cow_r, _cow_p, 'D', true,
            pg_catalog.pg_trigger_depth() operator(pg_catalog.>) 1);
    return OLD;
end
$cowscore$
