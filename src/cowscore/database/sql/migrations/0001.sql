create schema cowscore;

create table cowscore.migrations (
    version integer primary key,
    applied_at timestamptz not null default pg_catalog.clock_timestamp()
);

-- One row per application schema under the overlay.
create table cowscore.schemas (
    schema_name name primary key,
    layout text not null check (layout in ('overlay', 'in_place')),
    view_schema name not null,
    changes_schema name not null,
    functions_schema name not null,
    -- The application's search_path: its triggers fire at commit and may name things without a schema.
    search_path text not null,
    enabled boolean not null default true,
    excluded text[] not null default '{}',
    bookkeeping text[] not null default '{}',
    trusted_functions text[] not null default '{}',
    enabled_at timestamptz not null default pg_catalog.clock_timestamp()
);

-- One row per table of an enabled schema; `position` orders the tables for locking.
create table cowscore.tables (
    schema_name name not null references cowscore.schemas on delete cascade,
    table_name name not null,
    table_oid oid not null,
    mode text not null check (mode in ('session', 'insert_only', 'view', 'passthrough', 'read_only', 'excluded')),
    reason text not null default '',
    bookkeeping boolean not null default false,
    functions_prefix text not null,
    changes_digest text not null default '',
    digest text not null default '',
    position integer not null,
    primary key (schema_name, table_name)
);

-- Order of writes over all sessions of the database.
create sequence cowscore.change_seq;

create table cowscore.sessions (
    -- Overlay views take the nil UUID for "no session".
    id uuid primary key default pg_catalog.gen_random_uuid() check (id <> '00000000-0000-0000-0000-000000000000'),
    name text not null,
    kind text not null default 'agent' check (kind <> ''),
    metadata jsonb not null default '{}',
    state text not null default 'open' check (state in ('open', 'closed', 'committed', 'discarded')),
    forked_from uuid references cowscore.sessions on delete set null,
    opened_at timestamptz not null default pg_catalog.clock_timestamp(),
    -- Updated by the first write of every transaction: the row lock is the session's write lock.
    written_at timestamptz,
    closed_at timestamptz
) with (fillfactor = 70);

-- No foreign key, here and in `writers`: both are written in every transaction, by the function that has just locked the
-- session's row.
create table cowscore.operations (
    session_id uuid not null,
    id uuid not null,
    first_seq bigint not null,
    label text,
    committed_at timestamptz,
    primary key (session_id, id)
);

-- Which transaction writes for which operation: proof that the session was open when the transaction began to write,
-- which no client can forge as it could a setting.
create table cowscore.writers (
    transaction xid8 not null,
    session_id uuid not null,
    operation_id uuid not null,
    implicit boolean not null,
    first_seq bigint not null,
    primary key (session_id, transaction, operation_id)
);

-- Transactions that are bound locally; each row goes when its transaction ends.
create table cowscore.local_binds (
    transaction xid8 primary key,
    bound_at timestamptz not null
);

-- Login roles made for a session on demand, dropped with it.
create table cowscore.logins (
    session_id uuid primary key references cowscore.sessions on delete cascade,
    role_name name not null unique,
    password text not null
);

create table cowscore.recordings (
    name text primary key,
    session_id uuid not null references cowscore.sessions on delete cascade,
    prompt text not null,
    tags text[] not null default '{}',
    metadata jsonb not null default '{}',
    recorded_at timestamptz not null default pg_catalog.clock_timestamp()
);
