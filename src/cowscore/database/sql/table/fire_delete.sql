delete from {rows} r where r.ctid operator(pg_catalog.=) _cow_seed returning r.ctid into _cow_at
