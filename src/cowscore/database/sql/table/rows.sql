-- Where the application's row triggers fire: a row is here only while they do.
create unlogged table {rows} (like {base} including generated including storage)
