cowscore session show 7 || echo "exit code $?"
cowscore session close $SESSION
cowscore session dsn $SESSION || echo "exit code $?"
cowscore enable --schema sales || echo "exit code $?"
