from uuid import uuid4

from fastapi.testclient import TestClient

from cowscore import Cow

cow = Cow.connect(os.environ["COWSCORE_DSN"])
session, operation = cow.open_session(name="One tool call").id, uuid4()
headers = {"X-Cow-Session": str(session), "X-Cow-Operation": str(operation)}
with TestClient(app, headers=headers) as client:
    client.post("/tasks/T-101/finish")
    client.post("/tasks/T-102/finish")
(found,) = cow.session(session).operations()
print(found.id == operation, found.label)
cow.close()
engine.dispose()
