import os

from cowscore import Cow

with Cow.connect(os.environ["COWSCORE_DSN"]) as cow:
    session = cow.open_session(name="From Python")
    with session.connect() as connection:
        connection.execute("insert into tasks (id, title) values (%s, %s)", ["T-104", "Print the agenda"])
    connection.close()
    print([row.key for row in session.diff()])
    session.discard()
