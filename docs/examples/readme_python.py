cow = Cow.connect(dsn)
cow.enable(schema="public")
session = cow.open_session(name="Finish what is being done")
with session.connect() as connection:
    connection.execute("update tasks set status = 'done' where status = 'doing'")
print([(row.table, row.key, row.columns) for row in session.diff()])
print(session.commit())
