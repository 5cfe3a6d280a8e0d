    if NEW.{column} is not null then
        raise exception using message = {message}, errcode = '428C9', detail = {detail};
    end if;
