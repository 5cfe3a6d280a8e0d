-- The application's columns of a changes table, in their order.
select a.attname as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as type
from pg_catalog.pg_attribute a
where a.attrelid = %(changes)s::pg_catalog.regclass
  and a.attnum > 0
  and not a.attisdropped
  and not pg_catalog.starts_with(a.attname::pg_catalog.text, '_cow_')
order by a.attnum
