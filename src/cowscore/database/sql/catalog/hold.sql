-- A session whose versions stay aside, and why.
insert into cowscore.held (session_id, schema_name, kept_name, reason, blocks)
select s.id, {schema}, {kept}, {reason}, {blocks} from cowscore.sessions s where s.id = {session}
on conflict (session_id, schema_name, kept_name) do update set reason = excluded.reason, blocks = excluded.blocks
