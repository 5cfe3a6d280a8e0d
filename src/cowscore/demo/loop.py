"""The whole loop on the tracker: prepare a database, record the workflows, run an experiment over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path

import httpx
import psycopg
from psycopg import sql
from sqlalchemy import URL, create_engine

from cowscore.agents.scripted import Task, scripted_agents
from cowscore.database import Cow
from cowscore.demo.recorder import record
from cowscore.demo.seed import api_key, seed
from cowscore.demo.surface_v2 import improve
from cowscore.demo.tracker.app import BOOKKEEPING, create_app
from cowscore.demo.tracker.tables import Base, create_schema
from cowscore.demo.workflows import plan, workflows
from cowscore.errors import BadInput, InstallError, UnknownName
from cowscore.experiments import recordings, runner
from cowscore.experiments.recordings import Recording
from cowscore.experiments.results import Results
from cowscore.experiments.setup import make_agents
from cowscore.experiments.spec import Experiment, read_experiment
from cowscore.surface.openapi import Surface
from cowscore.surface.serving import serving

Note = Callable[[str], None]
"""Takes one line about what is going on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracker:
    """The tracker, seeded, under the overlay, recorded and answering requests."""

    dsn: str
    client: httpx.Client
    """With base URL and API key."""
    api_key: str
    surfaces: dict[str, Surface]
    recordings: Sequence[Recording]


def demo_experiment() -> Experiment:
    """The experiment that `cowscore demo` runs."""
    with resources.as_file(resources.files("cowscore.demo") / "experiment.yaml") as path:
        return read_experiment(path)


def run_experiment(
    experiment: Experiment, prepared: Tracker, out: Path, listener: runner.Listener, resume: bool = False
) -> Results:
    """Run an experiment whose application is the tracker. Raises UnknownName for agents or recordings it lacks."""
    agents = make_agents(experiment, dict(scripted_agents(_read_prompt)))
    chosen = _chosen(experiment, prepared.recordings)
    return runner.run(
        experiment, prepared.dsn, agents, prepared.surfaces, chosen, out, resume=resume, listener=listener
    )


@contextmanager
def tracker(dsn: str, note: Note) -> Iterator[Tracker]:
    """The tracker on a database that is empty or was prepared by this function before."""
    with Cow.connect(dsn) as cow, psycopg.connect(dsn, autocommit=True) as conn:
        engine = create_engine(_engine_url(conn), pool_size=12)
        try:
            if _is_new(conn):
                create_schema(engine)
                seed(engine)
                note("Seeded the tracker: 3 projects, 7 members, 63 work items.")
            report = cow.enable(bookkeeping=BOOKKEEPING)
            note(f"Enabled: {len(report.tables)} tables are under the overlay; production was not touched.")
            app = create_app(engine)
            key = api_key()
            headers = {"X-Api-Key": key}
            with serving(app) as url, httpx.Client(base_url=url, headers=headers, timeout=120) as client:
                made = _record_missing(cow, conn, client, note)
                spec = app.openapi()
                yield Tracker(
                    dsn=dsn,
                    client=client,
                    api_key=key,
                    surfaces={"v1": Surface(spec, client), "v2": Surface(improve(spec), client)},
                    recordings=made,
                )
        finally:
            engine.dispose()


def _record_missing(
    cow: Cow, conn: psycopg.Connection[tuple[object, ...]], client: httpx.Client, note: Note
) -> list[Recording]:
    """Record the workflows that are not recorded yet, each in a ground-truth session; all recordings in order."""
    present = {r.name: r for r in recordings.select(conn)}
    calls = 0
    for workflow in workflows():
        if workflow.name in present:
            continue
        session = cow.open_session(name=workflow.name, kind="ground_truth", metadata={"tags": list(workflow.tags)})
        made = record(client, workflow, api_key(), session.id)
        session.close()
        recording = Recording(
            name=workflow.name,
            prompt=workflow.prompt,
            session=session.id,
            tags=workflow.tags,
            metadata={"write_operations": len(made)},
        )
        recordings.store(conn, recording)
        calls += len(made)
    if calls:
        planned = sum(w.operations for w in workflows())
        note(f"Recorded {len(workflows())} workflows with {calls} write operations (the paper's Table 4: {planned}).")
    return [r for r in recordings.select(conn) if r.name in {w.name for w in workflows()}]


def _chosen(experiment: Experiment, made: Sequence[Recording]) -> list[Recording]:
    names, tags = experiment.recordings.names, set(experiment.recordings.tags)
    known = {r.name: r for r in made}
    for name in names or ():
        if name not in known:
            raise UnknownName(f"no recording is called {name!r}; there are: {', '.join(known)}")
    return [r for r in made if (names is None or r.name in names) and (not tags or tags.intersection(r.tags))]


def _read_prompt(prompt: str) -> Task:
    """Scripted agents do not read: what a prompt means is given to them, how to do it with the tools is not."""
    for workflow in workflows():
        if workflow.prompt == prompt:
            return Task(project=workflow.project, plan=partial(plan, workflow))
    raise UnknownName("scripted agents know the prompts of the demo's 20 workflows only")


def _is_new(conn: psycopg.Connection[tuple[object, ...]]) -> bool:
    """True for a database without tables in its public schema, False for one that holds the tracker's."""
    rows = conn.execute(
        "select c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
        "where n.nspname = 'public' and c.relkind in ('r', 'p')"
    ).fetchall()
    present = {str(r[0]) for r in rows}
    ours = set(Base.metadata.tables)
    if not present:
        return True
    if present != ours:
        foreign = sorted(present - ours)
        named = foreign[0] if foreign else "only some of the tracker's"
        raise BadInput(f"the demo needs a database of its own, but schema public holds tables ({named}); create one")
    filled = conn.execute(sql.SQL("select exists (select from {})").format(sql.Identifier("public", "workspaces")))
    row = filled.fetchone()
    if not (row and row[0]):
        raise InstallError("the tracker's tables exist but are empty; drop the database and create it again")
    return False


def _engine_url(conn: psycopg.Connection[tuple[object, ...]]) -> URL:
    info = conn.info
    query = {"host": info.host} if info.host.startswith("/") else {}
    return URL.create(
        "postgresql+psycopg",
        username=info.user,
        password=info.password or None,
        host=None if query else info.host,
        port=info.port,
        database=info.dbname,
        query=query,
    )
