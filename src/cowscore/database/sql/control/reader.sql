-- The session that a view reads for, the nil UUID for none. Not inlined: the planner would walk the expression again for
-- every mention in every view, which costs it more than the call costs the executor.
create or replace function cowscore.reader() returns uuid
language plpgsql stable parallel safe
as $cowscore$
begin
    -- Without what was put aside a session would read base and never know.
    if exists (select from cowscore.held h where h.session_id operator(pg_catalog.=) cowscore.session() and h.blocks) then
        perform cowscore.require_carried(cowscore.session());
    end if;
    return coalesce(cowscore.session(), '00000000-0000-0000-0000-000000000000');
end
$cowscore$;
