"""The numbers of an experiment, and how terminal and page show them."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from rich.console import Console

from cowscore.errors import BadInput
from cowscore.experiments.results import BaseHashes, Results
from cowscore.experiments.runner import Event, Finished, Started, TrialFinished, TrialStarted
from cowscore.report.html import render
from cowscore.report.markdown import markdown
from cowscore.report.progress import LiveProgress
from cowscore.report.summary import compare_results, summarize
from cowscore.report.terminal import combined, experiment_view
from cowscore.scoring import score
from experiment_results import LABELS, ROWS, experiment, trial
from scoring_sessions import Session


def embedded(page: str) -> Any:
    return json.loads(page.split('id="data">')[1].split("</script>")[0])


def printed(results: Results, width: int = 160) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    for part in experiment_view(summarize(results)):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_summary_is_the_arithmetic_of_the_trials() -> None:
    summary = summarize(experiment())
    good, slow = summary.on("v1")
    assert (good.agent, slow.agent) == ("scripted:good", "scripted:slow")
    assert good.scores["overall"].mean == pytest.approx(1.0)
    assert slow.scores["struct"].mean == pytest.approx((0.25 + 0.5 + 0.25) / 3)
    assert slow.recall == pytest.approx((0.25 + 0.5 + 0.25) / 3)
    assert slow.precision == 1.0
    assert [low.workflow for low in slow.lowest] == ["alpha", "gamma", "beta"]
    change = summary.changes[0].agents["scripted:slow"]
    assert change.difference == pytest.approx(sum(1 - (s + 1) / 2 for s in (0.25, 0.5, 0.25)) / 3)


def test_infrastructure_is_counted_and_is_no_zero() -> None:
    slow = summarize(experiment()).on("v1")[1]
    assert slow.outcomes == {"ok": 6, "limit": 0, "agent_error": 0, "infrastructure": 1}
    assert (slow.scored, len(slow.trials), slow.completed) == (6, 7, 6)
    assert slow.scores["overall"].trials == 6


def test_results_compare_in_pairs_surface_by_surface() -> None:
    compared = compare_results(experiment(), experiment(better=1))
    worse = compared["scripted:slow on v2"]
    assert worse.difference == pytest.approx(0.625 - 1)
    assert set(worse.per_workflow) == {"alpha", "beta", "gamma"}
    assert compared["scripted:slow on v1"].difference == 0


def test_two_single_surfaces_compare_whatever_they_are_called() -> None:
    one = Results(experiment="a", trials=(trial("model", "w", 1), trial("model", "x", 1), trial("gone", "w", 1)))
    two = Results(experiment="b", trials=(trial("model", "w", 3, surface="v9"), trial("gone", "y", 1, surface="v9")))
    compared = compare_results(one, two)
    assert set(compared) == {"model"}
    assert compared["model"].per_workflow == {"w": pytest.approx(0.25)}


def test_surfaces_that_cannot_be_paired_are_refused() -> None:
    other = Results(experiment="b", trials=(trial("scripted:slow", "alpha", 3, surface="v3"),))
    with pytest.raises(BadInput, match="v1, v2 and v3"):
        compare_results(experiment(), other)


def test_surfaces_stand_in_the_order_of_the_experiment() -> None:
    trials = tuple(trial("model", "w", 2, surface=surface) for surface in ("new", "old", "v10"))
    listed = {"experiment": {"surfaces": [{"version": "old"}, {"version": "new"}, {"version": "never run"}]}}
    summary = summarize(Results(experiment="e", trials=trials, settings=listed))
    assert summary.surfaces == ("old", "new", "v10")
    assert [change.before for change in summary.changes] == ["old", "old"]


def test_an_agent_without_a_common_workflow_is_in_no_comparison() -> None:
    trials = (trial("model", "w", 2), trial("model", "x", 2, surface="v2"))
    (change,) = summarize(Results(experiment="e", trials=trials)).changes
    assert change.agents == {}


def test_the_terminal_shows_every_table() -> None:
    text = printed(experiment())
    for wanted in (
        "these workflows",
        "PRECISION",
        "1 infrastructure",
        "alpha 62.5, gamma 62.5, beta 75.0",
        "Surface v2 against v1",
        "+0.333",
        "P (HOLM)",
        "equal",
        combined({"public.labels": "d41d8cd98f00b204e9800998ecf8427e"}),
    ):
        assert wanted in text, wanted


def test_a_changed_base_table_is_named() -> None:
    results = experiment()
    changed = BaseHashes(before={"public.labels": "a"}, after={"public.labels": "b"})
    hurt = Results(experiment="paint", trials=results.trials, base=changed)
    assert "CHANGED (public.labels)" in printed(hurt)
    assert "changed: public.labels" in render(hurt)


def test_the_page_needs_nothing_but_itself() -> None:
    page = render(experiment())
    assert not re.search(r"<(link|img|iframe|script[^>]+src)|https?://|@import|url\(", page)
    assert all(h.startswith("#") for h in re.findall(r'href="([^"]*)"', page))
    assert page == render(experiment())


def test_the_page_has_the_summary_and_every_trial() -> None:
    results = experiment()
    page = render(results)
    slow = summarize(results).on("v1")[1]
    assert f"{slow.scores['overall'].mean:.3f}" in page
    data = embedded(page)
    assert len(data["trials"]) == len(results.trials)
    partial = next(
        t for t in data["trials"] if t["agent"] == "scripted:slow" and t["workflow"] == "alpha" and t["scores"]
    )
    assert [len(partial[side]) for side in ("matched", "missing", "extra")] == [1, 3, 0]
    assert data["contents"][partial["missing"][0]["row"]] == {"color": "blue"}
    assert partial["calls"][0]["answer"] == "status 200"
    broken = next(t for t in data["trials"] if t["outcome"] == "infrastructure")
    assert (broken["scores"], broken["error"]) == (None, "provider: 503")


def test_hostile_text_stays_text() -> None:
    hostile = "</script><script>alert(1)</script><!--"
    page = render(experiment(text=hostile))
    assert "<script>alert" not in page
    assert "<!--" not in page
    assert hostile in {t["text"] for t in embedded(page)["trials"]}


def test_hostile_names_stay_text() -> None:
    hostile = '"><img src=x onerror=alert(1)>'
    one = trial(hostile, hostile, 2, surface=hostile, outcome="agent_error", error=hostile)
    page = render(Results(experiment=hostile, trials=(one,), settings={"prompts": {hostile: hostile}}))
    assert "<img" not in page
    assert embedded(page)["prompts"] == {hostile: hostile}


def test_contents_of_rows_are_kept_once() -> None:
    data = embedded(render(experiment()))
    assert data["contents"] == [{"color": "blue"}]
    assert sum(len(t["missing"]) for t in data["trials"] if t["scores"]) == 2 * (3 + 2 + 3)


def test_the_page_says_how_a_matched_row_differs() -> None:
    theirs, mine = Session(), Session()
    theirs.update(LABELS, ROWS[0], 0, color="blue")
    mine.update(LABELS, ROWS[0], 0, color="green")
    one = trial("model", "paint", 0, score=score(theirs.changes, mine.changes, [LABELS]))
    data = embedded(render(Results(experiment="e", trials=(one,))))
    (row,) = data["trials"][0]["matched"]
    assert data["contents"][row["row"]] == {"color": "green"}
    (differs,) = row["differs"]
    assert (differs["field"], differs["gt"], differs["agent"]) == ("color", "blue", "green")
    assert differs["similarity"] == row["similarity"] < 1


def test_every_report_bears_results_without_scores() -> None:
    broken = trial("model", "w", 0, outcome="infrastructure", score=None, error="503")
    for trials in ((), (broken,), (broken, trial("model", "other", 1, surface="v2"))):
        results = Results(experiment="e", trials=trials)
        assert f"{len(trials)} trials" in render(results)
        assert markdown(summarize(results)).startswith("## e")
        assert "Scores" in printed(results)


def test_progress_in_a_log_is_a_few_lines() -> None:
    results = experiment()
    console = Console(file=io.StringIO(), width=100, force_terminal=False)
    total = len(results.trials)
    events: list[Event] = [Started(experiment="paint", total=total, skipped=0)]
    for done, one in enumerate(results.trials, start=1):
        events += [TrialStarted(id=one.id), TrialFinished(trial=one, done=done, total=total)]
    with LiveProgress(console) as live:
        for event in (*events, Finished(results=results)):
            live.tell(event)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert lines[0] == f"paint: {total} trials"
    assert lines[-1] == f"[{total}/{total}] scripted:slow on alpha, v1 #3: infrastructure, no score"
    assert len(lines) <= 12


def test_progress_on_a_terminal_shows_agents_and_scores() -> None:
    results = experiment()
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system=None)
    with LiveProgress(console) as live:
        live.tell(Started(experiment="paint", total=2, skipped=0))
        live.tell(TrialStarted(id=results.trials[1].id))
        live.tell(TrialFinished(trial=results.trials[0], done=1, total=2))
        console.print(live._view())
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "overall 1.00" in text
    assert "scripted:slow on alpha" in text
