-- Before a statement: the application's triggers (the oids of their functions) will run with rights that do not reach base:
-- whoever writes is in a session's role, and none of the functions was made SECURITY DEFINER since enable.
create or replace function cowscore.require_invokers() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
begin
    if exists (select from pg_proc p where p.oid = any (tg_argv::oid[]) and p.prosecdef) then
        raise exception 'a trigger function of table % became SECURITY DEFINER', tg_table_name
            using errcode = 'CW006', hint = 'Run cowscore enable again; nothing was written.';
    end if;
    if current_user not in ('cowscore_agent', 'cowscore_writer') and not starts_with(current_user, 'cowscore_s_') then
        raise exception 'triggers of table % would run with the rights of role %', tg_table_name, current_user
            using errcode = 'CW006', hint = 'Write with the role that cowscore.bind sets; nothing was written.';
    end if;
    return null;
end
$cowscore$;
