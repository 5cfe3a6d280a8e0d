RECORDING=$(cowscore session open --kind ground_truth --name "Finish by hand" --meta prompt="Finish task T-101.")
psql -q "$(cowscore session dsn $RECORDING)" -c "update tasks set status = 'done' where id = 'T-101'"
cowscore session close $RECORDING
cowscore session diff $RECORDING
