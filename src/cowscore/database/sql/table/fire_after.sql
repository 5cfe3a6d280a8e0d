-- At the end of a statement, when all its rows are written and checked: the application's AFTER ROW triggers, row by row.
create function {function}() returns trigger
language plpgsql volatile
as $cowscore$
#variable_conflict use_column
declare
    _cow_outer pg_catalog.text := coalesce(pg_catalog.current_setting('cowscore.fires', true), '');
    _cow_v pg_catalog.record;
    _cow_at pg_catalog.tid;
begin
    for _cow_v in select f.kind, f.old_row, f.new_row from {fired}() f loop
        perform pg_catalog.set_config('cowscore.fires', '', true);
        if _cow_v.kind operator(pg_catalog.=) 'I'::pg_catalog."char" then
            perform pg_catalog.set_config('cowscore.fires', 'after insert', true);
            insert into {rows} as r ({stored}) values ({new_stored}) returning r.ctid into _cow_at;
        else
            insert into {rows} as r ({stored}) values ({old_stored}) returning r.ctid into _cow_at;
            if _cow_v.kind operator(pg_catalog.=) 'U'::pg_catalog."char" then
                perform pg_catalog.set_config('cowscore.fires', 'after update', true);
                update {rows} r set {assignments} where r.ctid operator(pg_catalog.=) _cow_at returning r.ctid into _cow_at;
            else
                perform pg_catalog.set_config('cowscore.fires', 'after delete', true);
                delete from {rows} r where r.ctid operator(pg_catalog.=) _cow_at;
            end if;
        end if;
        perform pg_catalog.set_config('cowscore.fires', '', true);
        delete from {rows} r where r.ctid operator(pg_catalog.=) _cow_at;
    end loop;
    perform pg_catalog.set_config('cowscore.fires', _cow_outer, true);
    return null;
end
$cowscore$
