    perform pg_catalog.set_config('cowscore.fires', '', true);
    insert into {rows} as r ({stored}) values ({old_stored}) returning r.ctid into _cow_seed;
