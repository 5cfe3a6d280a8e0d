from fastapi import FastAPI, HTTPException
from sqlalchemy import text

app = FastAPI()


@app.get("/tasks/{task}")
def show(task: str):
    with engine.begin() as connection:
        row = connection.execute(text("select id, status from tasks where id = :id"), {"id": task}).mappings().first()
    if row is None:
        raise HTTPException(404)
    return dict(row)


@app.post("/tasks/{task}/finish")
def finish(task: str):
    with engine.begin() as connection:
        connection.execute(text("update tasks set status = 'done' where id = :id"), {"id": task})
    return {"finished": task}
