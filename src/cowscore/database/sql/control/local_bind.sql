-- Remembers that this transaction was bound locally, to look at its end whether the bind outlived its own statement. With
-- parameters a statement is parsed earlier than it runs, so that the two times no longer tell a transaction block.
create or replace function cowscore.local_bind() returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
insert into cowscore.local_binds (transaction, bound_at)
select pg_current_xact_id(), statement_timestamp()
on conflict do nothing
$cowscore$;
