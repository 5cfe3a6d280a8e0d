-- In place, an INSERT outside of sessions: on the table itself, with the rights of whoever writes.
create function {function}() returns trigger
language plpgsql volatile
as $cowscore$
#variable_conflict use_column
begin
    if cowscore.session() is not null then
        return NEW;
    end if;
    {guards}
    if cowscore.skips_duplicates() then
        insert into {base} as b ({stored}) overriding system value values ({new_stored}) on conflict do nothing
        returning {written} into {new_all};
    else
        insert into {base} as b ({stored}) overriding system value values ({new_stored})
        returning {written} into {new_all};
    end if;
    if found then
        return NEW;
    end if;
    return null;
end
$cowscore$
