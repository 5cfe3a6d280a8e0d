-- In place, an UPDATE outside of sessions: on the table itself, with the rights of whoever writes.
create function {function}() returns trigger
language plpgsql volatile
as $cowscore$
#variable_conflict use_column
begin
    if cowscore.session() is not null then
        return NEW;
    end if;
    {guards}
    update {base} b set {assignments} where {key_is_old} and {row_is_old} returning {written} into {new_all};
    if found then
        return NEW;
    end if;
    {outrun}
    return null;
end
$cowscore$
