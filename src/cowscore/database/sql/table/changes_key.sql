create unique index on {changes} (_cow_session, {key}) where _cow_head
