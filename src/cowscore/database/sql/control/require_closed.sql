-- Raises CW005 unless the selected operations exist and contain all that they depend on; with `backwards`, all that
-- depends on them.
create or replace function cowscore.require_closed(session uuid, operations uuid[], backwards boolean) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _lacking uuid[];
begin
    select array_agg(u.id) into _lacking from unnest(operations) u(id)
    where not exists (select from cowscore.operations o where o.session_id = session and o.id = u.id);
    if _lacking is not null then
        raise exception 'session % has no operation %', session, array_to_string(_lacking, ', ')
            using errcode = 'CW005', hint = 'cowscore.operations(session) lists them.';
    end if;
    with recursive reached as (
        select u.id from unnest(operations) u(id)
        union
        select case when backwards then d.operation else d.depends_on end
        from cowscore.dependencies(session) d
        join reached r on r.id = case when backwards then d.depends_on else d.operation end
    )
    select array_agg(r.id order by o.first_seq) into _lacking
    from reached r
    join cowscore.operations o on o.session_id = session and o.id = r.id
    where r.id <> all (operations) and o.committed_at is null;
    if _lacking is not null then
        raise exception 'the selected operations % %',
                case when backwards then 'are needed by' else 'depend on' end, array_to_string(_lacking, ', ')
            using errcode = 'CW005', hint = 'Select these operations too.';
    end if;
end
$cowscore$;
