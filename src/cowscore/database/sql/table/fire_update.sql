update {rows} r set {assignments} where r.ctid operator(pg_catalog.=) _cow_seed returning r.ctid, {returned} into _cow_at, {new_stored}
