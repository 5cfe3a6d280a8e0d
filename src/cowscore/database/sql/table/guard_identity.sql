    if NEW.{column} is null then
        NEW.{column} := pg_catalog.nextval({sequence});
    elsif pg_catalog.current_query() operator(pg_catalog.!~*) 'overriding\s+system\s+value' then
        raise exception
            using message = {message}, errcode = '428C9', detail = {detail},
                  hint = 'Use OVERRIDING SYSTEM VALUE to override.',
                  schema = {schema_literal}, table = {table_literal}, column = {column_literal};
    end if;
