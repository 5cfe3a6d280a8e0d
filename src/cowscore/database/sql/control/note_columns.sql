-- Before and after an UPDATE of a table that has UPDATE OF triggers: which of them (numbers) the columns set concern. Statements
-- nest, so the innermost stands in front. Arguments: push, mark or pop; the table's oid; the number.
create or replace function cowscore.note_columns() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
declare
    _setting text := 'cowscore.sets_' || tg_argv[1];
    _noted text := coalesce(current_setting(_setting, true), '');
begin
    perform set_config(_setting, case tg_argv[0]
        when 'push' then ',|' || _noted
        when 'mark' then ',' || tg_argv[2] || _noted
        else substr(_noted, strpos(_noted, '|') + 1)
    end, true);
    return null;
end
$cowscore$;
