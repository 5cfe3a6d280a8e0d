-- The session that a view reads for, the nil UUID for none. Not inlined: the planner would walk the expression again for
-- every mention in every view, which costs it more than the call costs the executor.
create or replace function cowscore.reader() returns uuid
language plpgsql stable parallel safe
as $cowscore$
begin
    return coalesce(cowscore.session(), '00000000-0000-0000-0000-000000000000');
end
$cowscore$;
