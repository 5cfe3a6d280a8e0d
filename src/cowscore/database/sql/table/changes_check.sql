-- NOT VALID: rows of before may violate it, and what is kept of them here is not new.
alter table {changes}
    drop constraint {check},
    add constraint {check} check (_cow_kind operator(pg_catalog.=) any (array['B', 'D', 'K']::pg_catalog."char"[]) or ({expression}))
