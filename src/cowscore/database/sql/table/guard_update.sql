    -- DEFAULT arrives as null.
    if NEW.{column} is not null and pg_catalog.record_image_ne(row(NEW.{column}), row(OLD.{column})) then
        raise exception using message = {message}, errcode = '428C9', detail = {detail};
    end if;
