-- Rows of a table without a usable key: all of base, and what the session inserted.
create view {view} as
select {columns}
from (
    select cowscore.reader() as _cow_session, true as _cow_head, 'I'::pg_catalog."char" as _cow_kind, {columns}
    from {base}
    union all
    select _cow_session, _cow_head, _cow_kind, {columns}
    from {changes}
) u
where u._cow_session operator(pg_catalog.=) (select cowscore.reader())
  and u._cow_head
  and u._cow_kind operator(pg_catalog.<>) 'D'::pg_catalog."char"
