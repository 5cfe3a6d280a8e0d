cowscore session show $SESSION
