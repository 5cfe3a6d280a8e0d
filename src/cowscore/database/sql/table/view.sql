-- Base rows that the session has not touched, and the session's own. The arms are bare relations with constant columns so
-- that the planner flattens the union; every condition stands above it. Base rows carry the reader's own session: with
-- `=` to one value on both arms, not `or`, the session column is constant to the planner and the other columns of an
-- index that begins with it give an order.
--
-- Two ways lead to the touched rows: a probe by session and key for each row, good for a few rows, and one reading of all
-- that the session changed, good for many. A session grows faster than statistics follow, so an estimate of its share
-- would be one row, and every lookup would read the whole session. Hence the planner is kept from looking the session up
-- (a subquery stands for an average one), and reading is made to cost by the row as by the pair compared: both `case` end
-- at their first comparison, as no session is nil (`is not null`: nearly all rows pass, to the planner).
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
        where x._cow_session operator(pg_catalog.=) (select cowscore.reader()) and x._cow_head and {hides}
          and case x._cow_session when '00000000-0000-0000-0000-000000000000' then cowscore.dear_row() else true end
              is not null
          and case when x._cow_session operator(pg_catalog.=) '00000000-0000-0000-0000-000000000000'
                   and u._cow_base_1 is null then cowscore.dear_pair() else true end
              is not null
    )
  and u._cow_session operator(pg_catalog.=) (select cowscore.reader())
  and u._cow_head
  and u._cow_kind operator(pg_catalog.<>) 'D'::pg_catalog."char"
  and u._cow_kind operator(pg_catalog.<>) 'K'::pg_catalog."char"
