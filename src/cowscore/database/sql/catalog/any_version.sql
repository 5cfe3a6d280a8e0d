-- Whether a changes table holds anything.
select exists (select from {changes}) as held
