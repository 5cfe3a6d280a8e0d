cowscore disable
