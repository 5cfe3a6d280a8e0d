DRAFT=$(cowscore session open --name "Draft")
psql -q "$(cowscore session dsn $DRAFT)" -c "delete from tasks where id = 'T-102'"
cowscore session close $DRAFT
FORK=$(cowscore session fork $DRAFT --name "Second draft")
psql -q "$(cowscore session dsn $FORK)" -c "delete from tasks where id = 'T-103'"
cowscore session diff $FORK
