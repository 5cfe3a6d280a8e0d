-- Never called: stands in a condition that is never reached, where only its cost (0.5 in the planner's units) counts.
create or replace function cowscore.dear_row() returns boolean
language plpgsql stable parallel safe cost 200
as $cowscore$
begin
    return true;
end
$cowscore$;
