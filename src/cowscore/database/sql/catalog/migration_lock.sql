-- True where no other connection runs a migration. A migration then has the lock to itself; whoever only must not run
-- beside one shares it, so that two of those never take each other for a migration.
select case
    when %(whole_session)s then pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended('cowscore migrate', 0))
    else pg_catalog.pg_try_advisory_xact_lock_shared(pg_catalog.hashtextextended('cowscore migrate', 0))
end
