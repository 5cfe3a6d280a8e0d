cowscore enable --bookkeeping django_session > /dev/null
