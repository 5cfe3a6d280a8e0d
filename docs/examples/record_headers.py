recording = cow.open_session(name="Finish what is being done", kind="ground_truth", metadata={"prompt": prompt})
with TestClient(app, headers={"X-Cow-Session": str(recording.id)}) as client:
    for task in client.get("/tasks?status=doing").json():
        client.post(f"/tasks/{task['id']}/finish")
recording.close()
