import os

from cowscore import Cow

cow = Cow.connect(os.environ["COWSCORE_DSN"])
cow.enable(schema="public")
session = cow.open_session(name="Finish the notes")
with session.connect() as connection:
    connection.execute("update tasks set status = 'done' where id = 'T-101'")
connection.close()
for row in session.diff():
    print(row.kind, row.table, row.key, row.before["status"], "->", row.after["status"])
print(session.rehearse().ok, session.commit())
cow.close()
