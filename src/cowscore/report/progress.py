"""Live progress of an experiment: fed by the runner's events, shown on the console that the caller gives."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from cowscore.experiments.runner import Event, Started, TrialFinished, TrialStarted
from cowscore.experiments.trials import Trial, TrialId

_STEPS = 10
"""Lines that a run leaves in a log."""
_SHOWN = 4
"""Running trials that are named."""


class LiveProgress:
    """A context manager whose `tell` is a runner's listener.

    On a terminal: a bar, a line for each agent with its trials and mean score so far, and what runs just now. Elsewhere
    the trial that finished at every tenth of the way.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task("trials", total=None)
        self._scores: dict[str, list[float | None]] = {}
        self._running: dict[TrialId, None] = {}
        self._live = Live(console=console, get_renderable=self._view, refresh_per_second=4, transient=True)

    def __enter__(self) -> LiveProgress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def tell(self, event: Event) -> None:
        """Take one event of the runner."""
        if isinstance(event, Started):
            self._bar.update(self._task, total=event.total, completed=event.skipped)
            done = f", {event.skipped} of them done before" if event.skipped else ""
            self._console.print(Text(f"{event.experiment}: {event.total} trials{done}"))
        elif isinstance(event, TrialStarted):
            self._running[event.id] = None
        elif isinstance(event, TrialFinished):
            self._running.pop(event.trial.id, None)
            score = event.trial.score
            self._scores.setdefault(event.trial.agent, []).append(None if score is None else score.overall)
            self._bar.update(self._task, completed=event.done)
            if not self._console.is_terminal and self._is_step(event.done, event.total):
                self._console.print(Text(f"[{event.done}/{event.total}] {_about(event.trial)}"), soft_wrap=True)

    @staticmethod
    def _is_step(done: int, total: int) -> bool:
        return done == total or done * _STEPS // total > (done - 1) * _STEPS // total

    def _view(self) -> Group:
        agents = Table(box=None, pad_edge=False, show_header=False)
        for agent, scores in sorted(self._scores.items()):
            known = [s for s in scores if s is not None]
            mean = f"{sum(known) / len(known):.2f}" if known else "-"
            agents.add_row(Text(agent), Text(f"{len(scores)} trials", style="dim"), Text(f"overall {mean}"))
        running = [
            Text(f"  {agent} on {workflow}", style="dim") for agent, workflow, *_ in list(self._running)[:_SHOWN]
        ]
        return Group(agents, self._bar, *running)


def _about(trial: Trial) -> str:
    score = "no score" if trial.score is None else f"{trial.score.overall:.3f}"
    return f"{trial.agent} on {trial.workflow}, {trial.surface} #{trial.number}: {trial.outcome}, {score}"
