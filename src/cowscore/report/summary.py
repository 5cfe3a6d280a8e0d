"""What an experiment's results come to, as plain numbers: terminal, HTML and Markdown all show these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cowscore.errors import BadInput
from cowscore.experiments.results import BaseHashes, Results
from cowscore.experiments.trials import OUTCOMES, Outcome, Trial
from cowscore.scoring.statistics import Comparison, Mean, Trials, compare_agents, mean

MEASURES = ("overall", "struct", "content")
"""Scores with intervals, as in the paper's Figure 2."""
LOWEST = 5
"""Workflows listed for each agent, as in the paper's Table 6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LowWorkflow:
    """A workflow on which an agent did badly."""

    workflow: str
    overall: float
    """Mean over its trials."""
    trials: tuple[Trial, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSummary:
    """One agent on one surface. Infrastructure failures are counted, and are in no mean."""

    agent: str
    surface: str
    trials: tuple[Trial, ...]
    outcomes: Mapping[Outcome, int]
    scores: Mapping[str, Mean]
    """Of MEASURES; empty where no trial was scored."""
    precision: float | None
    """Means over the scored trials; None where there are none."""
    recall: float | None
    f1: float | None
    efficiency: float | None
    lowest: tuple[LowWorkflow, ...]
    discovers: float
    """Calls of each tool, and failed calls, per trial."""
    executes: float
    failed_calls: float
    seconds: float
    """Per trial."""
    tokens: int | None
    """In and out, over all trials; None where the agent uses none."""
    cost: float | None
    """US dollars over all trials; None where unknown."""

    @property
    def completed(self) -> int:
        """Trials that the agent ended by itself."""
        return self.outcomes["ok"]

    @property
    def scored(self) -> int:
        """Trials with a score."""
        return sum(t.score is not None for t in self.trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceChange:
    """What another surface did for the agents: the paper's Table 1."""

    before: str
    after: str
    agents: Mapping[str, Comparison]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Everything that a report shows beside the trials themselves."""

    experiment: str
    agents: tuple[AgentSummary, ...]
    """By surface, then from the best overall score to the worst."""
    changes: tuple[SurfaceChange, ...]
    """Each surface against the first."""
    base: BaseHashes | None
    workflows: tuple[str, ...]
    surfaces: tuple[str, ...]

    def on(self, surface: str) -> tuple[AgentSummary, ...]:
        """The agents on one surface."""
        return tuple(a for a in self.agents if a.surface == surface)


def summarize(results: Results, seed: int = 0) -> Summary:
    """The numbers of an experiment. `seed`: of bootstrap and permutations; the same results give the same numbers."""
    surfaces = _surfaces(results)
    names = sorted({t.agent for t in results.trials})
    agents = [
        _agent(name, surface, [t for t in results.trials if t.agent == name and t.surface == surface], seed)
        for surface in surfaces
        for name in names
    ]
    agents = [a for a in agents if a.trials]
    agents.sort(key=lambda a: (surfaces.index(a.surface), -_overall(a), a.agent))
    return Summary(
        experiment=results.experiment,
        agents=tuple(agents),
        changes=tuple(_change(results.trials, surfaces[0], after, seed) for after in surfaces[1:]),
        base=results.base,
        workflows=tuple(sorted({t.workflow for t in results.trials})),
        surfaces=surfaces,
    )


def by_workflow(trials: Iterable[Trial], measure: str = "overall") -> dict[str, list[float]]:
    """Workflow -> that score of each scored trial."""
    found: dict[str, list[float]] = {}
    for trial in trials:
        if trial.score is not None:
            found.setdefault(trial.workflow, []).append(getattr(trial.score, measure))
    return found


def by_agent(trials: Iterable[Trial]) -> dict[str, dict[str, list[float]]]:
    """Agent -> workflow -> overall score of each scored trial."""
    agents: dict[str, list[Trial]] = {}
    for trial in trials:
        agents.setdefault(trial.agent, []).append(trial)
    scored = {agent: by_workflow(own) for agent, own in agents.items()}
    return {agent: workflows for agent, workflows in scored.items() if workflows}


def compare_results(a: Results, b: Results, seed: int = 0) -> dict[str, Comparison]:
    """Agent -> b minus a, paired over the workflows that both have scores on; p values corrected together.

    Surfaces are never mixed. Where both experiments have several in common, each is compared by itself, under
    `AGENT on SURFACE`; where they have none in common, each must have exactly one. Raises BadInput otherwise.
    """
    on_a, on_b = _surfaces(a), _surfaces(b)
    shared = [surface for surface in on_a if surface in on_b]
    if not shared and (len(on_a) > 1 or len(on_b) > 1):
        raise BadInput(
            f"the experiments ran on surfaces {', '.join(on_a) or 'none'} and {', '.join(on_b) or 'none'}: without one "
            "in common, each must have a single surface to be compared"
        )
    if len(shared) < 2:
        return _paired(by_agent(_only(a.trials, shared)), by_agent(_only(b.trials, shared)), seed)
    sides = [
        {
            f"{agent} on {surface}": scores
            for surface in shared
            for agent, scores in by_agent(_only(side.trials, [surface])).items()
        }
        for side in (a, b)
    ]
    return _paired(sides[0], sides[1], seed)


def _surfaces(results: Results) -> tuple[str, ...]:
    """Surfaces in the order in which the experiment lists them: the first is what the others are held against."""
    present = {t.surface for t in results.trials}
    listed = [s["version"] for s in results.settings.get("experiment", {}).get("surfaces", ())]
    return tuple(dict.fromkeys([*(s for s in listed if s in present), *sorted(present)]))


def _only(trials: Iterable[Trial], surfaces: Sequence[str]) -> list[Trial]:
    """Trials on these surfaces; on any, where none are given."""
    return [t for t in trials if not surfaces or t.surface in surfaces]


def _paired(a: Mapping[str, Trials], b: Mapping[str, Trials], seed: int) -> dict[str, Comparison]:
    """Comparisons of the agents that have scores on a common workflow."""
    shared = [agent for agent in a if agent in b and not a[agent].keys().isdisjoint(b[agent])]
    return compare_agents({n: a[n] for n in shared}, {n: b[n] for n in shared}, seed=seed)


def _overall(agent: AgentSummary) -> float:
    return agent.scores["overall"].mean if agent.scores else -1.0


def _agent(name: str, surface: str, trials: Sequence[Trial], seed: int) -> AgentSummary:
    measured = {m: by_workflow(trials, m) for m in MEASURES}
    tokens = [t.tokens_in + (t.tokens_out or 0) for t in trials if t.tokens_in is not None]
    costs = [t.cost for t in trials if t.cost is not None]
    return AgentSummary(
        agent=name,
        surface=surface,
        trials=tuple(trials),
        outcomes={o: sum(t.outcome == o for t in trials) for o in OUTCOMES},
        scores={m: mean(values, seed=seed) for m, values in measured.items() if values},
        precision=_scored_mean(trials, "precision"),
        recall=_scored_mean(trials, "recall"),
        f1=_scored_mean(trials, "f1"),
        efficiency=_scored_mean(trials, "efficiency"),
        lowest=_lowest(trials),
        discovers=_per_trial(trials, lambda t: sum(c.tool == "discover" for c in t.calls)),
        executes=_per_trial(trials, lambda t: sum(c.tool == "execute" for c in t.calls)),
        failed_calls=_per_trial(trials, lambda t: sum(c.failed for c in t.calls)),
        seconds=_per_trial(trials, lambda t: t.seconds),
        tokens=sum(tokens) if tokens else None,
        cost=sum(costs) if costs else None,
    )


def _lowest(trials: Sequence[Trial]) -> tuple[LowWorkflow, ...]:
    low = [
        LowWorkflow(
            workflow=workflow,
            overall=sum(values) / len(values),
            trials=tuple(t for t in trials if t.workflow == workflow),
        )
        for workflow, values in by_workflow(trials).items()
    ]
    return tuple(sorted(low, key=lambda w: (w.overall, w.workflow))[:LOWEST])


def _change(trials: Sequence[Trial], before: str, after: str, seed: int) -> SurfaceChange:
    a = by_agent(t for t in trials if t.surface == before)
    b = by_agent(t for t in trials if t.surface == after)
    return SurfaceChange(before=before, after=after, agents=_paired(a, b, seed))


def _scored_mean(trials: Sequence[Trial], measure: str) -> float | None:
    values = [getattr(t.score, measure) for t in trials if t.score is not None]
    return sum(values) / len(values) if values else None


def _per_trial(trials: Sequence[Trial], of: Callable[[Trial], float]) -> float:
    return sum(of(t) for t in trials) / len(trials) if trials else 0.0
