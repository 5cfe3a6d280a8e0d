-- Versions of the given sessions, from a changes table that was put aside into the one that fits the table now. A column that
-- was added has the value that its base row has, and in a row of the session's own the default, once for all its versions.
with fresh as materialized (
    select f._cow_session, f._cow_row{defaults}
    from (select distinct _cow_session, _cow_row from {kept} where _cow_session = any ({sessions})) f
)
insert into {changes} ({columns}_cow_session, _cow_operation, _cow_seq, _cow_row, _cow_prev, _cow_kind, _cow_head, _cow_derived,
                       _cow_xid, _cow_updated_at)
select {values}v._cow_session, v._cow_operation, v._cow_seq, v._cow_row, v._cow_prev, v._cow_kind, v._cow_head, v._cow_derived,
       v._cow_xid, v._cow_updated_at
from {kept} v
join fresh f on f._cow_session operator(pg_catalog.=) v._cow_session and f._cow_row operator(pg_catalog.=) v._cow_row
left join {kept} o
  on o._cow_session operator(pg_catalog.=) v._cow_session and o._cow_seq operator(pg_catalog.=) v._cow_row
 and o._cow_kind operator(pg_catalog.=) 'B'::pg_catalog."char"
left join {base} b on {base_is_row}
where v._cow_session = any ({sessions})
