-- For every row that the given versions touch, the first version that is not committed, a derived one included, with the
-- image that it started from.
    select distinct on (c._cow_row) c._cow_row as entity, c._cow_kind as kind, (c.*)::{changes} as version,
           (o.*)::{changes} as image
    from {changes} c
    join cowscore.operations op on op.session_id = $1 and op.id = c._cow_operation and op.committed_at is null
    left join {changes} o on o._cow_session = $1 and o._cow_seq = c._cow_prev
    where c._cow_session = $1
      and c._cow_kind <> 'B'
      and c._cow_row in (select t._cow_row from {changes} t where t._cow_session = $1 and t._cow_seq = any ($2))
    order by c._cow_row, c._cow_seq
