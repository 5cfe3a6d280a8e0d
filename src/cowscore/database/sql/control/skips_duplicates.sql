-- Whether the client's statement is one plain INSERT .. ON CONFLICT DO NOTHING without a target, which PostgreSQL lets
-- through to a view's trigger but does not tell it. In doubt (comments, several statements, a nested call): no.
create or replace function cowscore.skips_duplicates() returns boolean
language sql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
select pg_trigger_depth() = 1
   and current_query() ~* '^\s*insert\s+into\s.*\son\s+conflict\s+do\s+nothing(\s+returning\s[^'';]*)?\s*;?\s*$'
   and current_query() !~ '(--|/\*|;\s*\S)'
$cowscore$;
