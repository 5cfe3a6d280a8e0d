    if {changed} then
        if {taken} then
            if cowscore.skips_duplicates() then
                return null;
            end if;
            -- NOT NULL and CHECK speak before a unique constraint does.
            insert into {changes} ({stored}, _cow_session, _cow_operation, _cow_seq, _cow_row, _cow_kind, _cow_head, _cow_derived)
            values ({new_stored}, _cow_s, _cow_op, pg_catalog.nextval('cowscore.change_seq'), 0, 'B', false, false);
            raise exception
                using message = {message}, errcode = {sqlstate}, detail = {detail}, schema = {schema_literal}, table = {table_literal},
                      constraint = {constraint_literal};
        end if;
    end if;
