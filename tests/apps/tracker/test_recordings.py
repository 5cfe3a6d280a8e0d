from __future__ import annotations

from collections import Counter

import httpx
import psycopg
import pytest
from fastapi import FastAPI

from cowscore.demo.recorder import RecordingFailed, record
from cowscore.demo.seed import api_key
from cowscore.demo.workflows import Workflow, workflow, workflows
from cowscore.errors import UnknownName
from cowscore.surface.serving import serving


@pytest.mark.parametrize("task", workflows(), ids=lambda w: w.name)
def test_recording_makes_as_many_calls_as_the_published_table_says(
    app: FastAPI, tracker_dsn: str, task: Workflow
) -> None:
    with serving(app) as url, httpx.Client(base_url=url) as client:
        calls = record(client, task, api_key())
        assert len(calls) == task.operations
        assert {call.status for call in calls} <= {200, 201}
        assert len({call.operation for call in calls}) == len(calls)
        # Carried out once, nothing is left to do for tasks whose selection survives; the label is not made twice.
        again = record(client, task, api_key())
        assert not [call for call in again if call.method == "POST"]
    with psycopg.connect(tracker_dsn) as connection:
        counted = connection.execute("select count(*) from activities").fetchone()
    assert counted == (len(calls) + len(again),), "one line of history for each elementary change"


def test_all_recordings_together() -> None:
    assert len(workflows()) == 20
    assert Counter(w.project for w in workflows()) == {"PSP": 7, "PE": 7, "GS": 6}


def test_a_refused_call_says_which(app: FastAPI) -> None:
    with serving(app) as url, httpx.Client(base_url=url) as client:
        with pytest.raises(RecordingFailed, match=r"GET /projects was answered with 401"):
            record(client, workflow("Campaign Push"), "no such key")
        elsewhere = workflow("Campaign Push").model_copy(update={"project": "XX"})
        with pytest.raises(UnknownName, match="XX"):
            record(client, elsewhere, api_key())
