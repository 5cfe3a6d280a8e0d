    if pg_catalog.record_image_ne(row(NEW.{column}), row(OLD.{column})) then
        raise exception
            using message = {message}, errcode = '428C9', detail = {detail}, schema = {schema_literal}, table = {table_literal}, column = {column_literal};
    end if;
