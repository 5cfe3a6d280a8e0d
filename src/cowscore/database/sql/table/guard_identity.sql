    if NEW.{column} operator(pg_catalog.=) {omitted} or cowscore.overrides('user') then
        NEW.{column} := pg_catalog.nextval({sequence});
    elsif not cowscore.overrides('system') then
        raise exception
            using message = {message}, errcode = '428C9', detail = {detail},
                  hint = 'Use OVERRIDING SYSTEM VALUE to override.';
    end if;
