import psycopg

from cowscore.experiments.recordings import Recording, select, store

with psycopg.connect(os.environ["COWSCORE_DSN"], autocommit=True) as connection:
    store(connection, Recording(name="finish", prompt=prompt, session=recording.id, tags=("status",)))
    print([(stored.name, stored.tags) for stored in select(connection)])
connection.close()
