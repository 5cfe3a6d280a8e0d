"""The tracker with its overlay: recordings in sessions, production beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from starlette.testclient import TestClient

from cowscore import Cow, ScoringConfig
from cowscore.demo.recorder import record
from cowscore.demo.seed import api_key, seed_id
from cowscore.demo.tracker import BOOKKEEPING
from cowscore.demo.tracker.tables import Base
from cowscore.demo.workflows import Workflow, workflow, workflows

FIRST = f"/projects/{seed_id('project', 'PSP')}/work-items/{seed_id('work item', 'PSP', '1')}"


@pytest.fixture
def cow(tracker_dsn: str) -> Iterator[Cow]:
    with Cow.connect(tracker_dsn) as cow:
        cow.enable(schema="public")
        yield cow


def fingerprint(dsn: str) -> dict[str, str]:
    """A hash over every base table."""
    hashes = {}
    with psycopg.connect(dsn) as connection:
        for table in Base.metadata.sorted_tables:
            rows = connection.execute(sql.SQL("select t::text from {} t order by 1").format(sql.Identifier(table.name)))
            hashes[table.name] = hashlib.sha256(repr(rows.fetchall()).encode()).hexdigest()
    return hashes


@pytest.mark.parametrize(
    "task", [w for w in workflows() if w.name in ("Sprint Kickoff", "Campaign Push")], ids=lambda w: w.name
)
def test_recording_in_a_session_leaves_production_alone(
    client: TestClient, tracker_dsn: str, cow: Cow, task: Workflow
) -> None:
    before = fingerprint(tracker_dsn)
    first, second = cow.open_session(name="one", kind="ground_truth"), cow.open_session(name="two")
    calls = record(client, task, api_key(), first.id)
    assert len(calls) == task.operations
    assert len(record(client, task, api_key(), second.id)) == task.operations, "sessions do not see each other"
    assert fingerprint(tracker_dsn) == before

    labels = {operation.id: operation.label for operation in first.operations()}
    assert {labels[call.operation] for call in calls if call.method == "PATCH"} == {
        "PATCH /projects/{project_id}/work-items/{pk}"
    }
    score = cow.score(first.id, second.id, config=ScoringConfig(ignore=BOOKKEEPING))
    assert (score.struct, score.content) == (1.0, 1.0)
    assert {entry.table for entry in score.matched}.isdisjoint(BOOKKEEPING)
    assert "activities" in {entry.table for entry in score.matched}


def test_headers_that_name_no_open_session(client: TestClient, tracker_dsn: str, cow: Cow) -> None:
    before = fingerprint(tracker_dsn)
    closed = cow.open_session(name="closed")
    closed.close()
    for value, status in [("7", 400), (str(uuid4()), 400), (str(closed.id), 409)]:
        answer = client.patch(FIRST, json={"priority": "urgent"}, headers={"X-Cow-Session": value})
        assert answer.status_code == status, answer.text
        assert "session" in answer.json()["detail"].lower()
    assert fingerprint(tracker_dsn) == before


def test_application_errors_are_the_application_s_own_in_a_session(client: TestClient, cow: Cow) -> None:
    session = {"X-Cow-Session": str(cow.open_session(name="errors").id)}
    labels = f"/projects/{seed_id('project', 'PSP')}/labels"
    backlog = f"/projects/{seed_id('project', 'PSP')}/states/{seed_id('state', 'PSP', 'Backlog')}"
    for headers in ({}, session):
        clash = client.post(labels, json={"name": "bug"}, headers=headers)
        assert (clash.status_code, "labels_project_id_name_key" in clash.text) == (409, True)
        assert client.delete(backlog, headers=headers).status_code == 409
        assert client.patch(FIRST, json={"slug": "x"}, headers=headers).status_code == 422


def test_commit_brings_a_recording_to_production(client: TestClient, tracker_dsn: str, cow: Cow) -> None:
    session = cow.open_session(name="sprint", kind="ground_truth")
    record(client, workflow("Sprint Kickoff"), api_key(), session.id)
    inside = client.get(FIRST.rsplit("/", 1)[0] + "?limit=100", headers={"X-Cow-Session": str(session.id)}).json()
    session.commit()
    after = client.get(FIRST.rsplit("/", 1)[0] + "?limit=100").json()
    assert after == inside
