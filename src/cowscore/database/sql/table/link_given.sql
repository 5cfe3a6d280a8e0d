    update {given} g set _cow_seq = pg_catalog.currval('cowscore.change_seq')
    where g._cow_session operator(pg_catalog.=) _cow_s and g._cow_seq is null
      and g._cow_depth operator(pg_catalog.=) pg_catalog.pg_trigger_depth();
