-- The newest version that this connection wrote, or gave up writing: tells whether something was written in between.
create or replace function cowscore.last_change() returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $cowscore$
select currval('cowscore.change_seq')
$cowscore$;
