    if {changed} then
        if {taken} then
            begin
                -- NOT NULL and CHECK speak before a unique constraint does, and before ON CONFLICT: a trial that is undone.
                insert into {changes} ({stored}, _cow_session, _cow_operation, _cow_seq, _cow_row, _cow_kind, _cow_head, _cow_derived)
                values ({new_stored}, _cow_s, _cow_op, pg_catalog.nextval('cowscore.change_seq'), 0, 'T', false, false);
                if cowscore.skips_duplicates() then
                    raise exception 'skipped' using errcode = 'CW000';
                end if;
            exception
                when sqlstate 'CW000' then
                    return null;
            end;
            raise exception
                using message = {message}, errcode = {sqlstate}, detail = {detail}, schema = {schema_literal}, table = {table_literal},
                      constraint = {constraint_literal};
        end if;
    end if;
