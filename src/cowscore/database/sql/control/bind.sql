-- Puts this connection into a session: search_path, session, operation and role in one call. With `local` (the default)
-- until the end of the transaction, else until `unbind`. Runs with the caller's rights, as `set role` must.
create or replace function cowscore.bind(
    session uuid, operation uuid default null, local boolean default true, label text default null
) returns void
language plpgsql volatile
as $cowscore$
begin
    perform cowscore.require_session(session);
    if local and pg_catalog.transaction_timestamp() operator(pg_catalog.=) pg_catalog.statement_timestamp() then
        raise exception 'a transaction-local bind outside a transaction block would be forgotten at once'
            using errcode = 'CW001',
                  hint = 'Send BEGIN as a statement of its own first, or bind with local => false.';
    end if;
    if local and not pg_catalog.current_setting('transaction_read_only')::pg_catalog.bool then
        perform cowscore.local_bind();
    end if;
    perform pg_catalog.set_config('search_path', cowscore.session_path(pg_catalog.current_schemas(false)), local);
    perform pg_catalog.set_config('cowscore.session', session::pg_catalog.text, local);
    perform pg_catalog.set_config('cowscore.operation', coalesce(operation::pg_catalog.text, ''), local);
    perform pg_catalog.set_config('cowscore.label', coalesce(label, ''), local);
    -- Estimates through an overlay view are high: lookups would wait for a compiler.
    perform pg_catalog.set_config('jit', 'off', local);
    if not pg_catalog.starts_with(session_user::pg_catalog.text, 'cowscore_s_') then
        perform pg_catalog.set_config('role', 'cowscore_agent', local);
    end if;
end
$cowscore$;
