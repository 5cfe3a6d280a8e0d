-- What rows older than a column have in it, as an array literal; null where the table was written anew instead.
select a.attmissingval::pg_catalog.text from pg_catalog.pg_attribute a
where a.attrelid = %(table)s and a.attnum = %(number)s and a.atthasmissing
