-- Whether the client's statement says OVERRIDING SYSTEM VALUE or OVERRIDING USER VALUE ('system', 'user'), which a view's
-- trigger is not told. Only the beginning is searched: a statement may carry megabytes of values.
create or replace function cowscore.overrides(whose text) returns boolean
language sql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
select left(current_query(), 10000) ~* ('\moverriding\s+' || whose || '\s+value\M')
$cowscore$;
