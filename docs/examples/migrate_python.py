import os

import psycopg

from cowscore import Cow

dsn = os.environ["COWSCORE_DSN"]
with Cow.connect(dsn) as cow:
    with cow.migrate() as report, psycopg.connect(dsn) as production:
        production.execute("alter table tasks add column due date")
    print(report.schemas, report.held)
