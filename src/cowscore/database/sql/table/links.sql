-- Pairs of versions in different operations where the second needs the first: same row, referenced row, freed key.
create function {function}(session pg_catalog.uuid)
returns table (operation pg_catalog.uuid, depends_on pg_catalog.uuid)
language sql stable
as $cowscore$
{links}
$cowscore$
