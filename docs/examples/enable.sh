cowscore enable
