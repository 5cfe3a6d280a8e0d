cowscore score $EXPECTED $AGENT --profile paper
