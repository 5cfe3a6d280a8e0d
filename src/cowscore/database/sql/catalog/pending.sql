-- Whether a changes table holds versions of sessions that are neither committed nor discarded.
select exists (
    select from {changes} c
    join cowscore.sessions s on s.id = c._cow_session
    where s.state in ('open', 'closed')
) as pending
