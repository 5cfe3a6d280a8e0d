-- Before a statement: the functions (oids) of the application's triggers still run with the rights of whoever writes. One that
-- was made SECURITY DEFINER after enable could write base tables.
create or replace function cowscore.require_invokers() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $cowscore$
begin
    if exists (select from pg_proc p where p.oid = any (tg_argv::oid[]) and p.prosecdef) then
        raise exception 'a trigger function of table % became SECURITY DEFINER', tg_table_name
            using errcode = 'CW006', hint = 'Run cowscore enable again; nothing was written.';
    end if;
    return null;
end
$cowscore$;
