    if pg_catalog.current_setting({flag}, true) operator(pg_catalog.=) 'on' then
        perform pg_catalog.set_config({flag}, '', true);
        {check}
    end if;
