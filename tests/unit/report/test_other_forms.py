"""Markdown, JUnit and the verdict of a comparison."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from cowscore.experiments.results import Results
from cowscore.report.comparison import regressions
from cowscore.report.junit import junit
from cowscore.report.markdown import markdown
from cowscore.report.summary import summarize
from cowscore.scoring.statistics import compare_agents
from experiment_results import experiment, trial


def test_markdown_has_scores_change_and_base() -> None:
    text = markdown(summarize(experiment()))
    assert "| scripted:good | v1 | 1.00 (1.00 to 1.00) |" in text
    assert "### Surface v2 against v1" in text
    assert "| scripted:slow | +0.333 |" in text
    assert "equal" in text


def test_markdown_cells_cannot_break_out() -> None:
    text = markdown(summarize(Results(experiment="a<b>|c", trials=(trial("x|y<z>![i](h)", "w", 4),))))
    assert "x\\|y&lt;z>!\\[i](h)" in text
    assert "<b>" not in text


def test_junit_counts_failures_and_errors() -> None:
    root = ElementTree.fromstring(junit(experiment(), threshold=0.9))
    slow = next(s for s in root if s.get("name") == "scripted:slow on v1")
    assert (slow.get("tests"), slow.get("failures"), slow.get("errors")) == ("7", "6", "1")
    failure = slow.find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "overall 0.625 is below 0.9: 1 matched, 3 missing, 0 extra"
    error = slow.find("testcase/error")
    assert error is not None
    assert (error.get("type"), error.get("message")) == ("infrastructure", "provider: 503")
    good = next(s for s in root if s.get("name") == "scripted:good on v1")
    assert good.get("failures") == "0"


def test_junit_survives_characters_that_xml_has_not() -> None:
    results = Results(experiment="e", trials=(trial("a", "w\x00 & <x>", 1, text="bell \x07"),))
    case = ElementTree.fromstring(junit(results, threshold=1)).find("testsuite/testcase")
    assert case is not None
    assert case.get("name") == "w & <x> #1"


def test_only_what_is_worse_by_more_than_chance_is_a_regression() -> None:
    workflows = [f"w{n}" for n in range(12)]
    before = {"same": {w: [0.8, 0.9] for w in workflows}, "worse": {w: [0.9, 0.95] for w in workflows}}
    after = {"same": {w: [0.9, 0.8] for w in workflows}, "worse": {w: [0.5, 0.6] for w in workflows}}
    compared = compare_agents(before, after)
    assert regressions(compared) == ("worse",)
    better = {name: replace(c, difference=-c.difference) for name, c in compared.items()}
    assert regressions(better) == ()
