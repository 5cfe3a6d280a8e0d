cowscore enable
SECOND=$(cowscore session open --name "With triggers")
psql -q "$(cowscore session dsn $SECOND)" -c "update tasks set status = 'doing' where id = 'T-102'"
cowscore session rehearse $SECOND
