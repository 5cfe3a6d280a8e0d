-- Fires the application's BEFORE ROW triggers with the rights of whoever writes, by a real statement on a row of its own.
create function {function}() returns trigger
language plpgsql volatile
as $cowscore$
#variable_conflict use_column
declare
    _cow_outer pg_catalog.text := coalesce(pg_catalog.current_setting('cowscore.fires', true), '');
    _cow_last pg_catalog.int8 := cowscore.last_change();
    _cow_seed pg_catalog.tid;
    _cow_at pg_catalog.tid;
    _cow_passed pg_catalog.bool;
begin
    {unbound}
    {seed}
    perform pg_catalog.set_config('cowscore.fires', {event}, true);
    {statement};
    _cow_passed := found;
    perform pg_catalog.set_config('cowscore.fires', '', true);
    delete from {rows} r where r.ctid operator(pg_catalog.=) coalesce(_cow_at, _cow_seed);
    perform pg_catalog.set_config('cowscore.fires', _cow_outer, true);
    if _cow_passed then
        {unchanged}
        return {row};
    end if;
    if cowscore.last_change() operator(pg_catalog.<>) _cow_last then
        raise exception 'a trigger of table % wrote rows in place of the one that it skipped', {table_literal}
            using errcode = 'CW006', hint = 'A commit could not repeat that; write these rows directly.',
                  schema = {schema_literal}, table = {table_literal};
    end if;
    return null;
end
$cowscore$
