-- Rows that production changed since the given versions started from them, and keys that it took meanwhile.
create function {function}(session pg_catalog.uuid, seqs pg_catalog.int8[])
returns table (entity pg_catalog.int8, key pg_catalog.jsonb, reason pg_catalog.text, columns pg_catalog.text[],
               before pg_catalog.jsonb, base pg_catalog.jsonb)
language sql stable
as $cowscore$
with first_pending as (
{first_pending}
)
select p.entity, {image_key},
       case when b.tableoid is null then 'deleted' else 'changed' end,
       case when b.tableoid is null then {all_names}
           else pg_catalog.array_remove(array[{changed_names}]::pg_catalog.text[], null)
       end,
       {image_json}, case when b.tableoid is not null then {base_json} end
from first_pending p
left join {base} b on {image_is_base}
where p.kind <> 'I' and (b.tableoid is null or {image_differs})
union all
select p.entity, {version_key}, 'exists', {all_names}, null, {base_json}
from first_pending p
join {base} b on {version_is_base}
where p.kind = 'I'
  and not exists (
      select from {changes} g
      where g._cow_session = $1 and g._cow_kind in ('D', 'K') and g._cow_seq = any ($2) and {freed_key}
  )
$cowscore$
