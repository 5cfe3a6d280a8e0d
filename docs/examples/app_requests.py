from fastapi.testclient import TestClient

from cowscore import Cow

cow = Cow.connect(os.environ["COWSCORE_DSN"])
session = cow.open_session(name="Finish the notes")
inside = {"X-Cow-Session": str(session.id)}
with TestClient(app) as client:
    client.post("/tasks/T-101/finish", headers=inside)
    print("in the session: ", client.get("/tasks/T-101", headers=inside).json())
    print("in production:  ", client.get("/tasks/T-101").json())
for operation in session.operations():
    print(operation.ordinal, operation.label, operation.tables)
