again = cow.open_session(name="The same again")
with TestClient(app, headers={"X-Cow-Session": str(again.id)}) as client:
    for task in client.get("/tasks?status=doing").json():
        client.post(f"/tasks/{task['id']}/finish")
result = cow.score(recording.id, again.id)
print(result.struct, result.content, result.overall)
cow.close()
engine.dispose()
