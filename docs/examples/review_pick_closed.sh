cowscore session rehearse $SESSION -o $AGENDA -o $PAPER
cowscore session commit $SESSION -o $AGENDA -o $PAPER
