create index on {changes} (_cow_session, {elements}) where _cow_head{predicate}
