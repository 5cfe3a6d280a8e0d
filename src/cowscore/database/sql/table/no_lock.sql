-- Without a key there is no base row to lock.
create function {function}(session pg_catalog.uuid, seqs pg_catalog.int8[]) returns void
language sql volatile
as $cowscore$
select
$cowscore$
