create unique index on {changes} (_cow_session, _cow_seq)
