    if NEW.{column} operator(pg_catalog.=) {omitted} then
        NEW.{column} := pg_catalog.nextval({sequence});
    elsif pg_catalog.record_image_ne(row(NEW.{column}), row(OLD.{column})) then
        raise exception using message = {message}, errcode = '428C9', detail = {detail};
    end if;
