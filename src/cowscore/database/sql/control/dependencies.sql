-- Pairs (operation, depends_on): the first cannot be committed without the second, the second not discarded without the
-- first. Rows of bookkeeping tables are left out, as they would chain every operation to the one before.
create or replace function cowscore.dependencies(session uuid)
returns table (operation uuid, depends_on uuid)
-- The planner knows little of young tables and would compare every version with every other.
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_nestloop = off
as $cowscore$
declare
    _parts text;
begin
    perform cowscore.require_visible(session);
    perform cowscore.require_enabled(session);
    select string_agg(
        format('select * from %I.%I($1)', f.functions_schema, f.functions_prefix || 'links'), ' union '
    ) into _parts
    from cowscore.functions_of() f
    where not f.bookkeeping;
    if _parts is not null then
        return query execute 'select * from (' || _parts || ') d order by 1, 2' using session;
    end if;
end
$cowscore$;
