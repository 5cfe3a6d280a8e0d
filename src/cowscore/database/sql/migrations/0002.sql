-- The table as it was when it was enabled: {"catalog": .., "columns": [{"number", "name", "type", "key"} ..]}. `catalog` is the
-- oid of this registry: where it differs, the database was restored, and no oid or column number of before means anything.
alter table cowscore.tables add column shape jsonb not null default '{}';

-- Set while `cowscore migrate` runs its command, and left set where it was killed.
alter table cowscore.schemas add column migrating boolean not null default false;

-- Changes tables put aside with versions that did not fit the table any more, under their own shape.
create table cowscore.kept (
    schema_name name not null references cowscore.schemas on delete cascade,
    kept_name name not null,
    table_name name not null,
    table_oid oid not null,
    shape jsonb not null,
    primary key (schema_name, kept_name)
);

-- Sessions with versions in such a table, and why. Those that are blocked can neither be read nor written until they fit.
create table cowscore.held (
    session_id uuid not null references cowscore.sessions on delete cascade,
    schema_name name not null,
    kept_name name not null,
    reason text not null,
    -- False for a table that was dropped: there is nothing to see or to write, the session goes on without it.
    blocks boolean not null,
    held_at timestamptz not null default pg_catalog.clock_timestamp(),
    primary key (session_id, schema_name, kept_name),
    foreign key (schema_name, kept_name) references cowscore.kept on delete cascade
);
