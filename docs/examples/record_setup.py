from fastapi.testclient import TestClient

from cowscore import Cow

cow = Cow.connect(os.environ["COWSCORE_DSN"])
prompt = "Finish every task that somebody is doing."


@app.get("/tasks")
def tasks(status: str):
    with engine.begin() as connection:
        found = connection.execute(text("select id from tasks where status = :status"), {"status": status})
        return [dict(row) for row in found.mappings()]
