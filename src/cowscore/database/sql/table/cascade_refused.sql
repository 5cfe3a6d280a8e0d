if exists (select from {child} v where {child_matches}) then
            raise exception 'the change would cascade to table %, which this session cannot write', {child_table_literal}
                using errcode = 'CW006', hint = 'Enable its schema too.',
                      schema = {child_schema_literal}, table = {child_table_literal}, constraint = {constraint_literal};
        end if
