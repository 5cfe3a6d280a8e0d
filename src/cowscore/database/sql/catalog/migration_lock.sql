-- True where no other connection runs a migration; then this one has the lock.
select case
    when %(whole_session)s then pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended('cowscore migrate', 0))
    else pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('cowscore migrate', 0))
end
