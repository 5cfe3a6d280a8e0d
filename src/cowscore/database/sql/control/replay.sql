-- Writes pending versions to base in the order they were written, neighbours of one table, kind and set of columns in
-- one statement. Order is what makes foreign keys, cycles, reused keys and triggers come out as they did in the session.
create or replace function cowscore.replay(session uuid, operations uuid[], on_conflict text) returns bigint
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _v record;
    _run record;
    _seqs bigint[] := '{}';
    _total bigint := 0;
    _skipped text[];
begin
    select array_agg(c.schema_name || '.' || c.table_name || '.' || c.entity) into _skipped
    from cowscore.settle_conflicts(session, operations, on_conflict) c;
    for _v in
        select p.* from cowscore.pending(session, operations) p
        where _skipped is null or (p.schema_name || '.' || p.table_name || '.' || p.entity) <> all (_skipped)
    loop
        if cardinality(_seqs) > 0 then
            if _v.schema_name <> _run.schema_name or _v.table_name <> _run.table_name or _v.kind <> _run.kind
                or _v.columns is distinct from _run.columns or _v.one_by_one or _v.prev >= _run.seq
            then
                _total := _total + cowscore.apply_run(
                    session, _seqs, _run.functions_schema, _run.functions_prefix, _run.kind, _run.columns);
                _seqs := '{}';
            end if;
        end if;
        if _v.kind <> 'U' or cardinality(_v.columns) > 0 then
            if cardinality(_seqs) = 0 then
                _run := _v;
            end if;
            _seqs := _seqs || _v.seq;
        end if;
    end loop;
    if cardinality(_seqs) > 0 then
        _total := _total + cowscore.apply_run(
            session, _seqs, _run.functions_schema, _run.functions_prefix, _run.kind, _run.columns);
    end if;
    return _total;
end
$cowscore$;
