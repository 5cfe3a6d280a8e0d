-- In place, a DELETE outside of sessions: on the table itself, with the rights of whoever writes.
create function {function}() returns trigger
language plpgsql volatile
as $cowscore$
#variable_conflict use_column
begin
    if cowscore.session() is not null then
        return OLD;
    end if;
    delete from {base} b where {key_is_old} and {row_is_old};
    if found then
        return OLD;
    end if;
    {outrun}
    return null;
end
$cowscore$
