"""An experiment as JUnit XML, which every CI system shows: one test case a trial."""

from __future__ import annotations

import re
from xml.etree import ElementTree as xml

from cowscore.experiments.results import Results
from cowscore.experiments.trials import Trial

# XML 1.0 has no way to write these.
_IMPOSSIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def junit(results: Results, threshold: float) -> str:
    """The XML text. A trial below `threshold` (overall score, 0..1) fails; one without a score is an error."""
    suites = xml.Element("testsuites", name=_clean(results.experiment))
    for agent, surface in sorted({(t.agent, t.surface) for t in results.trials}):
        trials = [t for t in results.trials if (t.agent, t.surface) == (agent, surface)]
        suite = xml.SubElement(
            suites,
            "testsuite",
            name=_clean(f"{agent} on {surface}"),
            tests=str(len(trials)),
            failures=str(sum(_fails(t, threshold) for t in trials)),
            errors=str(sum(t.score is None for t in trials)),
        )
        for trial in trials:
            _case(suite, trial, threshold)
    xml.indent(suites)
    return xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: xml.Element, trial: Trial, threshold: float) -> None:
    case = xml.SubElement(
        suite,
        "testcase",
        classname=_clean(f"{trial.agent}.{trial.surface}"),
        name=_clean(f"{trial.workflow} #{trial.number}"),
        time=f"{trial.seconds:.3f}",
    )
    score = trial.score
    if score is None:
        xml.SubElement(case, "error", type=trial.outcome, message=_clean(trial.error or "no score"))
    elif _fails(trial, threshold):
        rows = f"{len(score.matched)} matched, {len(score.missing)} missing, {len(score.extra)} extra"
        message = f"overall {score.overall:.3f} is below {threshold:g}: {rows}"
        failure = xml.SubElement(case, "failure", type=trial.outcome, message=message)
        failure.text = _clean("\n".join(filter(None, (trial.text, trial.error))))


def _fails(trial: Trial, threshold: float) -> bool:
    return trial.score is not None and trial.score.overall < threshold


def _clean(text: str) -> str:
    return _IMPOSSIBLE.sub("", text)
