-- Versions as a commit writes them. The key, and what foreign keys refer to, stay as the session saw them.
create view {written} as
select {columns}, c._cow_session, c._cow_operation, c._cow_seq, c._cow_row, c._cow_prev, c._cow_kind, c._cow_derived,
       (c.*)::{changes} as _cow_version
from {changes} c
left join {given} g on g._cow_session operator(pg_catalog.=) c._cow_session and g._cow_seq operator(pg_catalog.=) c._cow_seq
