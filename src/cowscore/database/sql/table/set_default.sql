{statement};
        -- Where the default is the key that went away, the row was set to what it had, which no check of its own looks at.
        if exists (select from {child} v where {child_matches} offset 0) {and_not_replaced} then
            raise exception
                using message = {message}, errcode = {sqlstate}, detail = pg_catalog.format({detail}, {detail_values}),
                      schema = {child_schema_literal}, table = {child_table_literal}, constraint = {constraint_literal};
        end if
