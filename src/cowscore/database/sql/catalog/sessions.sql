-- One session, or all of them, newest first.
select id, name, kind, state, metadata, opened_at, closed_at, forked_from
from cowscore.sessions
where %(id)s::uuid is null or id = %(id)s::uuid
order by opened_at desc, id
