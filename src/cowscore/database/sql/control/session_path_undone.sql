-- The search_path without the schemas of the overlay.
create or replace function cowscore.session_path_undone(schemas name[]) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
select coalesce(string_agg(quote_ident(p.name), ', ' order by p.n), '')
from unnest(schemas) with ordinality as p(name, n)
where not exists (select from cowscore.schemas o where p.name in (o.view_schema, o.changes_schema, o.functions_schema))
$cowscore$;
