cowscore score $EXPECTED $AGENT
