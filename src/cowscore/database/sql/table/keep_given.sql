-- Before the application's BEFORE triggers: what the statement gave. By trigger depth, as they may write to the table too;
-- a row that they skipped leaves an entry behind, gone at the next.
create function {function}() returns trigger
language plpgsql volatile security definer
as $cowscore$
#variable_conflict use_column
declare
    _cow_s pg_catalog.uuid := cowscore.session();
    _cow_op pg_catalog.uuid := {begin_write};
begin
    {unbound}
    {guards}
    {keep}
    return {row};
end
$cowscore$
