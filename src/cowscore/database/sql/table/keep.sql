    delete from {given} g
    where g._cow_session operator(pg_catalog.=) _cow_s and g._cow_seq is null
      and g._cow_depth operator(pg_catalog.>=) pg_catalog.pg_trigger_depth();
    insert into {given} ({stored}, _cow_session, _cow_depth) values ({new_stored}, _cow_s, pg_catalog.pg_trigger_depth());
