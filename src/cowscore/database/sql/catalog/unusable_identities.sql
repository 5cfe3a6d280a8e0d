-- Roles that may insert into a table, but not draw from the sequence of its identity column.
select distinct r.rolname as role, d.objid::pg_catalog.regclass::text as sequence
from pg_catalog.pg_depend d
join pg_catalog.pg_class s on s.oid = d.objid and s.relkind = 'S'
join pg_catalog.pg_roles r
  on pg_catalog.has_table_privilege(r.oid, d.refobjid, 'insert')
 and case when s.relkind = 'S' then not pg_catalog.has_sequence_privilege(r.oid, s.oid, 'usage') end
where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype = 'i'
  and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
  and not pg_catalog.starts_with(r.rolname, 'pg_') -- who is granted one shows up as itself
  and d.refobjid = any (%(tables)s::pg_catalog.oid[])
order by 1, 2
