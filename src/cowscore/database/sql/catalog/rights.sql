-- What each role may do with a table and its columns, in the words of GRANT; `column` is null for the whole table. Only
-- what a view has, too.
select t.oid as table_oid, null as "column", case x.grantee when 0 then 'public' else pg_catalog.quote_ident(g.rolname) end as role,
       x.privilege_type as right, x.is_grantable as grantable
from pg_catalog.pg_class t
cross join lateral pg_catalog.aclexplode(coalesce(t.relacl, pg_catalog.acldefault('r', t.relowner))) x
left join pg_catalog.pg_roles g on g.oid = x.grantee
where t.oid = any (%(tables)s::pg_catalog.oid[]) and x.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
union all
select a.attrelid, a.attname, case x.grantee when 0 then 'public' else pg_catalog.quote_ident(g.rolname) end,
       x.privilege_type, x.is_grantable
from pg_catalog.pg_attribute a
cross join lateral pg_catalog.aclexplode(a.attacl) x
left join pg_catalog.pg_roles g on g.oid = x.grantee
where a.attrelid = any (%(tables)s::pg_catalog.oid[]) and x.privilege_type in ('SELECT', 'INSERT', 'UPDATE')
order by 1, 2 nulls first, 3, 4
