-- Base rows that the session has not touched, and the session's own. The arms are bare relations with constant columns so
-- that the planner flattens the union; every condition stands above it. Base rows carry the reader's own session: with
-- `=` to one value on both arms, not `or`, the session column is constant to the planner and the other columns of an
-- index that begins with it give an order.
create view {view} as
select {columns}
from (
    select cowscore.reader() as _cow_session, true as _cow_head, 'I'::pg_catalog."char" as _cow_kind,
           {columns}, {base_keys}
    from {base}
    union all
    select _cow_session, _cow_head, _cow_kind, {columns}, {no_keys}
    from {changes}
) u
where not exists (
        select from {changes} x
        where x._cow_session operator(pg_catalog.=) cowscore.reader() and x._cow_head and {hides}
    )
  and u._cow_session operator(pg_catalog.=) cowscore.reader()
  and u._cow_head
  and u._cow_kind operator(pg_catalog.<>) 'D'::pg_catalog."char"
  and u._cow_kind operator(pg_catalog.<>) 'K'::pg_catalog."char"
