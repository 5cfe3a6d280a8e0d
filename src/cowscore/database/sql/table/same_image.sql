(b.tableoid, b.ctid) operator(pg_catalog.=) (
            select k.tableoid, k.ctid from {base} k where {row_is_image} limit 1
        )
