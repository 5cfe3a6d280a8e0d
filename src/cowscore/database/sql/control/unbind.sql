-- Takes this connection out of its session. A login made for one session cannot leave it.
create or replace function cowscore.unbind() returns void
language plpgsql volatile
as $cowscore$
begin
    if pg_catalog.starts_with(session_user::pg_catalog.text, 'cowscore_s_') then
        raise exception 'this login belongs to session % and cannot leave it', cowscore.session()
            using errcode = 'CW002';
    end if;
    perform pg_catalog.set_config('search_path', cowscore.session_path_undone(pg_catalog.current_schemas(false)), false);
    perform pg_catalog.set_config('cowscore.session', '', false);
    perform pg_catalog.set_config('cowscore.operation', '', false);
    perform pg_catalog.set_config('cowscore.label', '', false);
    reset jit;
    perform pg_catalog.set_config('role', 'none', false);
end
$cowscore$;
