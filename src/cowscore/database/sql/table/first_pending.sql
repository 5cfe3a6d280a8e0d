-- For every row that the given versions touch, the first version that is not committed, a derived one included, with the
-- image that it started from. One pass: the planner knows little of a young table and would join row by row what NOT IN hashes.
    select distinct on (w.entity) w.entity, w.kind, w.version, w.image
    from (
        select c._cow_row as entity, c._cow_seq as seq, c._cow_kind as kind, (c.*)::{changes} as version,
               (o.*)::{changes} as image, bool_or(c._cow_seq = any ($2)) over (partition by c._cow_row) as asked
        from {changes} c
        left join {changes} o on o._cow_session = $1 and o._cow_seq = c._cow_prev
        where c._cow_session = $1 and c._cow_kind <> 'B'
          and c._cow_operation not in (
              select op.id from cowscore.operations op where op.session_id = $1 and op.committed_at is not null
          )
    ) w
    where w.asked
    order by w.entity, w.seq
