create unique index on {given} (_cow_session, _cow_seq)
