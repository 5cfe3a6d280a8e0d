cowscore session discard $TRIAL
cowscore session rehearse $RECORDING
cowscore session commit $RECORDING
psql "$COWSCORE_DSN" -c "select id, title, status from tasks order by id"
