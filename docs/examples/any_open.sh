SESSION=$(cowscore session open --name "Any client")
INSIDE=$(cowscore session dsn $SESSION)
