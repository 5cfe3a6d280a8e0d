-- Rows that a commit leaves alone because production changed them. Raises CW004 where the policy does not allow to go on:
-- abort: any conflict; merge: the same column changed on both sides; ours: a changed row is gone; theirs: never.
create or replace function cowscore.settle_conflicts(session uuid, operations uuid[], on_conflict text)
returns table (schema_name name, table_name name, entity bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _c record;
begin
    for _c in select * from cowscore.conflicts(session, operations) c where c.reason <> 'exists' loop
        if on_conflict = 'theirs' then
            return query select _c.schema_name, _c.table_name, _c.entity;
        elsif on_conflict = 'abort'
            or _c.reason = 'deleted' and _c.mine is not null
            or on_conflict = 'merge' and (_c.mine is null or _c.mine && _c.columns)
        then
            raise exception 'production % row % of table %.% meanwhile', _c.reason, _c.key, _c.schema_name, _c.table_name
                using errcode = 'CW004', detail = format('Columns: %s.', array_to_string(_c.columns, ', ')),
                      hint = 'Nothing was committed. cowscore.conflicts(session) lists all; on_conflict may be ours, theirs or merge.',
                      schema = _c.schema_name, table = _c.table_name;
        end if;
    end loop;
end
$cowscore$;
