(case when _cow_k is null then exists (select from {keys} b where {base_has_key} offset 0)
            else _cow_k operator(pg_catalog.<>) 'D'::pg_catalog."char" and _cow_k operator(pg_catalog.<>) 'K'::pg_catalog."char" end)
