-- What sessions wrote to {base}: the table's own columns first, then who wrote the version, when, and what it is.
-- Kinds: B base image at first touch, I U D written versions, K the place that a row with a changed key left behind.
create table {changes} (
    like {base} including constraints including generated including storage,
    _cow_session pg_catalog.uuid not null,
    _cow_operation pg_catalog.uuid not null,
    _cow_seq pg_catalog.int8 not null,
    _cow_row pg_catalog.int8 not null,
    _cow_prev pg_catalog.int8,
    _cow_kind pg_catalog."char" not null,
    _cow_head pg_catalog.bool not null,
    _cow_derived pg_catalog.bool not null,
    _cow_xid pg_catalog.xid8 not null default pg_catalog.pg_current_xact_id(),
    _cow_updated_at pg_catalog.timestamptz not null default pg_catalog.clock_timestamp()
)
