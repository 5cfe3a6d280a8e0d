-- Login roles of sessions of this database that are not open any more.
select l.role_name
from cowscore.logins l
join cowscore.sessions s on s.id = l.session_id
where s.state <> 'open'
order by 1
