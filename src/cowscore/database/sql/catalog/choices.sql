-- What an earlier enable of the schema was told.
select excluded, bookkeeping, trusted_functions, layout from cowscore.schemas where schema_name = %(schema)s
