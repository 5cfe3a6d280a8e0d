import httpx

from cowscore.surface.openapi import Surface

client = httpx.Client(base_url="http://localhost:8000")
surface = Surface(app.openapi(), client)
for query in ("finish a task", "close the issue"):
    print(query, "->", [endpoint.operation_id for endpoint in surface.discover(query)])
