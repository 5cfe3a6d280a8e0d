-- As PostgreSQL: a trigger must not change the very row that the statement is about to write.
        if cowscore.last_change() operator(pg_catalog.<>) _cow_last
            and not exists (select from {view} v where {key_is_old} and {row_is_old} offset 0)
        then
            raise exception
                using message = {message}, errcode = '27000',
                      hint = 'Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.';
        end if;
