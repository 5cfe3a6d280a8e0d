-- Sessions that wait for a decision and can be read, with changes in a changes table.
select distinct c._cow_session
from {changes} c
join cowscore.sessions s on s.id = c._cow_session
where s.state in ('open', 'closed')
  and not exists (select from cowscore.held h where h.session_id = s.id and h.blocks)
