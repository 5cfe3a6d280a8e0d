from cowscore.integrations.binding import bound

nightly = cow.open_session(name="Nightly job")
with bound(nightly.id, label="nightly"), engine.begin() as connection:
    connection.execute(text("delete from tasks where status = 'todo'"))
print(len(nightly.diff()), "rows deleted in the session")
cow.close()
engine.dispose()
