from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from cowscore.demo.seed import api_key, member_id, seed_id

PSP = str(seed_id("project", "PSP"))
WORK_ITEMS = f"/projects/{PSP}/work-items"
FIRST = f"{WORK_ITEMS}/{seed_id('work item', 'PSP', '1')}"
BUG, DESIGN = str(seed_id("label", "PSP", "bug")), str(seed_id("label", "PSP", "design"))


def history(client: TestClient, path: str = FIRST) -> list[tuple[str, str, str]]:
    lines = client.get(f"{path}/activities").json()
    return sorted((line["field"], line["old_value"], line["new_value"]) for line in lines)


def test_seed_counts_are_those_of_the_published_table(tracker_dsn: str) -> None:
    query = """
        select p.identifier,
            (select count(*) from states s where s.project_id = p.id),
            (select count(*) from labels l where l.project_id = p.id),
            (select count(*) from work_items w where w.project_id = p.id)
        from projects p order by 1"""
    with psycopg.connect(tracker_dsn) as connection:
        rows = connection.execute(query).fetchall()
        members = connection.execute("select count(*), count(*) filter (where role = 'admin') from members").fetchone()
    assert rows == [("GS", 5, 8, 15), ("PE", 5, 8, 16), ("PSP", 5, 10, 32)]
    assert members == (7, 1)


def test_every_request_needs_a_key_and_stamps_it(client: TestClient, tracker_dsn: str) -> None:
    assert client.get("/projects", headers={"X-Api-Key": "guess"}).status_code == 401
    with psycopg.connect(tracker_dsn, autocommit=True) as connection:
        used = "select handle from api_keys k join members m on m.id = k.member_id where last_used_at is not null"
        assert connection.execute(used).fetchall() == []
        assert client.get("/members/me").json()["handle"] == "blub"
        assert connection.execute(used).fetchall() == [("blub",)]


def test_patch_changes_the_fields_sent_and_writes_history(client: TestClient) -> None:
    before = client.get(FIRST).json()
    body = {"priority": "urgent", "label_ids": [DESIGN], "assignee_ids": [str(member_id("eve")), str(member_id("bob"))]}
    after = client.patch(FIRST, json=body).json()
    assert {key: after[key] for key in body} == {**body, "assignee_ids": sorted(body["assignee_ids"])}
    unchanged = before.keys() - body.keys() - {"updated_at"}
    assert {key: after[key] for key in unchanged} == {key: before[key] for key in unchanged}
    assert after["updated_at"] > before["updated_at"]
    fields = [field for field, _, _ in history(client)]
    assert fields == ["assignees", "labels", "priority"]
    assert client.patch(FIRST, json=body).json() == after
    assert len(history(client)) == 3


def test_sub_resources_change_one_link(client: TestClient) -> None:
    client.patch(FIRST, json={"label_ids": [BUG], "assignee_ids": []})
    assert client.post(f"{FIRST}/labels", json={"label_id": DESIGN}).json()["label_ids"] == sorted([BUG, DESIGN])
    assert client.post(f"{FIRST}/labels", json={"label_id": DESIGN}).json()["label_ids"] == sorted([BUG, DESIGN])
    assert client.delete(f"{FIRST}/labels/{BUG}").json()["label_ids"] == [DESIGN]
    eve = str(member_id("eve"))
    assert client.post(f"{FIRST}/assignees", json={"member_id": eve}).json()["assignee_ids"] == [eve]
    assert client.delete(f"{FIRST}/assignees/{eve}").json()["assignee_ids"] == []


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PATCH", FIRST, {"slug": "paper-streets"}, 422),
        ("PATCH", FIRST, {"priority": "highest"}, 422),
        ("PATCH", FIRST, {"state_id": "Todo"}, 422),
        ("PATCH", FIRST, {"state_id": str(seed_id("state", "PE", "Todo"))}, 404),
        ("PATCH", FIRST, {"label_ids": [str(seed_id("label", "PE", "bug"))]}, 404),
        ("PATCH", FIRST, {"assignee_ids": [PSP]}, 404),
        ("PATCH", f"{WORK_ITEMS}/{PSP}", {"priority": "low"}, 404),
        ("GET", f"{WORK_ITEMS}?status=Todo", None, 422),
        ("GET", f"{WORK_ITEMS}?limit=101", None, 422),
        ("POST", f"/projects/{PSP}/labels", {"name": "bug"}, 409),
        ("POST", f"/projects/{PSP}/labels", {"name": "new", "color": "red"}, 422),
        ("POST", "/projects", {"identifier": "PSP", "name": "Second"}, 409),
        ("DELETE", f"/projects/{PSP}/states/{seed_id('state', 'PSP', 'Backlog')}", None, 409),
        ("POST", f"/projects/{PSP}/cycles", {"name": "c", "start_date": "2026-02-02", "end_date": "2026-02-01"}, 422),
    ],
)
def test_refusals_write_nothing(
    client: TestClient, tracker_dsn: str, method: str, path: str, body: dict[str, Any] | None, status: int
) -> None:
    with psycopg.connect(tracker_dsn, autocommit=True) as connection:
        counts = (
            "select (select count(*) from activities), (select count(*) from labels), (select count(*) from cycles)"
        )
        before = connection.execute(counts).fetchone()
        answer = client.request(method, path, json=body)
        assert (answer.status_code, bool(answer.json()["detail"])) == (status, True)
        assert connection.execute(counts).fetchone() == before


def test_only_admins_change_projects(app: FastAPI) -> None:
    alice = TestClient(app, headers={"X-Api-Key": api_key("alice")})
    assert alice.patch(f"/projects/{PSP}", json={"name": "Mine"}).status_code == 403
    assert alice.get(f"/projects/{PSP}").json()["name"] == "Paper Streets Press"


def test_listing_pages_and_filters(client: TestClient) -> None:
    pages = [client.get(f"{WORK_ITEMS}?offset={offset}").json() for offset in (0, 20, 40)]
    assert [(page["total"], len(page["results"])) for page in pages] == [(32, 20), (32, 12), (32, 0)]
    assert [item["sequence_id"] for page in pages for item in page["results"]] == list(range(1, 33))
    everything = client.get(f"{WORK_ITEMS}?limit=100").json()["results"]
    backlog = str(seed_id("state", "PSP", "Backlog"))
    wanted = [
        i["id"] for i in everything if i["state_id"] == backlog and BUG in i["label_ids"] and not i["assignee_ids"]
    ]
    found = client.get(f"{WORK_ITEMS}?state_id={backlog}&label_id={BUG}&unassigned=true").json()
    assert [i["id"] for i in found["results"]] == wanted
    assert wanted
    carol = str(member_id("carol"))
    found = client.get(f"{WORK_ITEMS}?assignee_id={carol}&priority=urgent&limit=100").json()["results"]
    assert found == [i for i in everything if carol in i["assignee_ids"] and i["priority"] == "urgent"]


def test_search_is_for_text_and_knows_no_syntax(client: TestClient) -> None:
    names = [i["name"] for i in client.get("/work-items/search?query=CHECKOUT").json()["results"]]
    assert "Checkout total rounds down" in names
    assert client.get("/work-items/search?query=label:security state:Todo").json()["total"] == 0
    assert client.get("/work-items/search?query=100%25").json()["total"] == 0
    assert client.get(f"/work-items/search?query=checkout&project_id={seed_id('project', 'PE')}").json()["total"] == 0


def test_life_of_a_work_item(client: TestClient) -> None:
    created = client.post(WORK_ITEMS, json={"name": "Print run", "label_ids": [BUG], "due_date": "2026-03-01"})
    assert created.status_code == 201
    item = created.json()
    assert (item["sequence_id"], item["due_date"], item["label_ids"]) == (33, "2026-03-01", [BUG])
    assert item["state_id"] == str(seed_id("state", "PSP", "Backlog"))
    path = f"{WORK_ITEMS}/{item['id']}"
    comment = client.post(f"{path}/comments", json={"body": "How many?"}).json()
    assert client.patch(f"{path}/comments/{comment['id']}", json={"body": "500?"}).json()["body"] == "500?"
    assert client.delete(f"{path}/comments/{comment['id']}").status_code == 204
    assert client.get(f"{path}/comments").json() == []
    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == 404
    assert client.get(WORK_ITEMS).json()["total"] == 32


def test_life_of_a_cycle(client: TestClient) -> None:
    cycle = client.post(f"/projects/{PSP}/cycles", json={"name": "May"}).json()
    path = f"/projects/{PSP}/cycles/{cycle['id']}"
    assert client.patch(path, json={"end_date": "2026-05-31"}).json()["end_date"] == "2026-05-31"
    pk = FIRST.rsplit("/", 1)[1]
    for _ in range(2):
        assert [i["id"] for i in client.post(f"{path}/work-items", json={"work_item_ids": [pk]}).json()] == [pk]
    assert history(client) == [("cycle", None, "May")]
    assert client.delete(f"{path}/work-items/{pk}").status_code == 204
    assert client.delete(f"{path}/work-items/{pk}").status_code == 404
    assert client.delete(path).status_code == 204
    assert client.get(f"/projects/{PSP}/cycles").json() == []


def test_labels_states_and_projects(client: TestClient) -> None:
    label = client.post(f"/projects/{PSP}/labels", json={"name": "q3", "color": "#8b5cf6"}).json()
    client.post(f"{FIRST}/labels", json={"label_id": label["id"]})
    assert client.patch(f"/projects/{PSP}/labels/{label['id']}", json={"name": "q4"}).json()["color"] == "#8b5cf6"
    assert client.delete(f"/projects/{PSP}/labels/{label['id']}").status_code == 204
    assert label["id"] not in client.get(FIRST).json()["label_ids"]
    state = client.post(f"/projects/{PSP}/states", json={"name": "Review", "group": "started"}).json()
    assert client.patch(f"/projects/{PSP}/states/{state['id']}", json={"position": 7}).json()["position"] == 7
    assert client.delete(f"/projects/{PSP}/states/{state['id']}").status_code == 204
    project = client.post("/projects", json={"identifier": "OPS", "name": "Operations"}).json()
    assert len(client.get(f"/projects/{project['id']}/states").json()) == 5
    assert client.delete(f"/projects/{project['id']}").status_code == 204
    assert client.get(f"/projects/{project['id']}").status_code == 404


def test_members_and_keys(client: TestClient) -> None:
    assert client.patch(f"/members/{member_id('eve')}", json={"profile": "Away"}).json()["profile"] == "Away"
    key = client.post("/api-keys", json={"name": "laptop"}).json()
    secret = {"X-Api-Key": key["secret"]}
    assert client.get("/workspace", headers=secret).json()["slug"] == "paper-streets"
    assert [k["name"] for k in client.get("/api-keys").json()] == ["demo", "laptop"]
    assert client.delete(f"/api-keys/{key['id']}").status_code == 204
    assert client.get("/workspace", headers=secret).status_code == 401


def test_text_of_the_first_surface_never_says_issue(app: FastAPI) -> None:
    text = json.dumps(app.openapi()).lower()
    assert "issue" not in text
    assert "work item" in text
