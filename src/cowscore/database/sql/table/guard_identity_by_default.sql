    if cowscore.overrides('user') then
        NEW.{column} := pg_catalog.nextval({sequence});
    end if;
