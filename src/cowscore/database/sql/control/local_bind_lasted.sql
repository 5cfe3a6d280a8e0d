-- Fires when the transaction ends: COMMIT is another statement than the bind, unless there was no transaction block.
create or replace function cowscore.local_bind_lasted() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
begin
    if NEW.bound_at = statement_timestamp() then
        raise exception 'a transaction-local bind outside a transaction block would be forgotten at once'
            using errcode = 'CW001',
                  hint = 'Send BEGIN as a statement of its own first, or bind with local => false.';
    end if;
    delete from cowscore.local_binds b where b.transaction = NEW.transaction;
    return null;
end
$cowscore$;
drop trigger if exists lasted on cowscore.local_binds;
create constraint trigger lasted after insert on cowscore.local_binds
deferrable initially deferred for each row execute function cowscore.local_bind_lasted();
