coalesce({session}, '00000000-0000-0000-0000-000000000000'::pg_catalog.uuid)
