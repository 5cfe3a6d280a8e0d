-- Rows as statements of sessions gave them, before the application's BEFORE triggers changed them: what a commit writes, as
-- base's own triggers fire again. NULL is allowed everywhere, for a trigger may fill it in.
create table {given} as
select {stored}, null::pg_catalog.uuid as _cow_session, null::pg_catalog.int8 as _cow_seq, null::pg_catalog.int4 as _cow_depth
from {base} with no data
