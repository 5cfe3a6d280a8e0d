"""The numbers of an experiment, and how terminal and page show them."""

from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

from cowscore.experiments.results import BaseHashes, Results
from cowscore.experiments.runner import Event, Finished, Started, TrialFinished, TrialStarted
from cowscore.report.html import render
from cowscore.report.progress import LiveProgress
from cowscore.report.summary import compare_results, summarize
from cowscore.report.terminal import combined, experiment_view
from experiment_results import experiment


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


def test_results_compare_in_pairs() -> None:
    worse = compare_results(experiment(), experiment(better=1))["scripted:slow"]
    assert worse.difference < 0
    assert set(worse.per_workflow) == {"alpha", "beta", "gamma"}


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
    data = json.loads(page.split('id="trials">')[1].split("</script>")[0])
    assert len(data) == len(results.trials)
    partial = next(t for t in data if t["agent"] == "scripted:slow" and t["workflow"] == "alpha" and t["scores"])
    assert [len(partial[side]) for side in ("matched", "missing", "extra")] == [1, 3, 0]
    assert partial["missing"][0]["row"] == {"color": "blue"}
    assert partial["calls"][0]["answer"] == "status 200"
    broken = next(t for t in data if t["outcome"] == "infrastructure")
    assert (broken["scores"], broken["error"]) == (None, "provider: 503")


def test_hostile_text_stays_text() -> None:
    hostile = "</script><script>alert(1)</script><!--"
    page = render(experiment(text=hostile))
    assert "<script>alert" not in page
    assert "<!--" not in page
    data = json.loads(page.split('id="trials">')[1].split("</script>")[0])
    assert hostile in {t["text"] for t in data}


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
