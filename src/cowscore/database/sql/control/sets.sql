-- Whether the UPDATE that runs sets a column of the trigger with that number.
create or replace function cowscore.sets(table_oid oid, number integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $cowscore$
select strpos(split_part(current_setting('cowscore.sets_' || table_oid, true), '|', 1), ',' || number || ',') > 0
$cowscore$;
