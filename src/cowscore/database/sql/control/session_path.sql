-- A search_path that finds the overlay of every enabled schema before the schema itself; in place, it is in there.
create or replace function cowscore.session_path(schemas name[]) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $cowscore$
select coalesce(string_agg(
    case
        when s.schema_name is null or s.layout = 'in_place' then quote_ident(p.name)
        else quote_ident(s.view_schema) || ', ' || quote_ident(s.changes_schema) || ', ' || quote_ident(p.name)
    end, ', ' order by p.n), '')
from unnest(schemas) with ordinality as p(name, n)
left join cowscore.schemas s on s.schema_name = p.name and s.enabled
where not exists (select from cowscore.schemas o where p.name in (o.view_schema, o.changes_schema, o.functions_schema))
$cowscore$;
