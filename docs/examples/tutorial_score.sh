cowscore score $RECORDING $TRIAL
