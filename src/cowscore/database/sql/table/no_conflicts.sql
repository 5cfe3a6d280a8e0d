-- Without a key a session can only insert, and an insert has nothing to conflict with.
create function {function}(session pg_catalog.uuid, seqs pg_catalog.int8[])
returns table (entity pg_catalog.int8, key pg_catalog.jsonb, reason pg_catalog.text, columns pg_catalog.text[],
               before pg_catalog.jsonb, base pg_catalog.jsonb)
language sql stable
as $cowscore$
select null::pg_catalog.int8, null::pg_catalog.jsonb, null::pg_catalog.text, null::pg_catalog.text[],
       null::pg_catalog.jsonb, null::pg_catalog.jsonb
where false
$cowscore$
