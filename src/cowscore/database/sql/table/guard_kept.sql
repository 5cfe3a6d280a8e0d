    -- DEFAULT, too: an UPDATE of the table itself would have to name it.
    if pg_catalog.record_image_ne(row(NEW.{column}), row(OLD.{column})) then
        raise exception using message = {message}, errcode = '428C9', detail = {detail};
    end if;
