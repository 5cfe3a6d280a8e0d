"""Probes of SQL semantics: read from the YAML files beside this module, one file for each kind.

A probe has a `name`, `setup` (DDL and seed, before `enable`) and a `script` that runs once on plain tables and once in
a session. `since` is the first major version that knows the syntax. `expect` is what comes of it, `same` if it is left
out, or a mapping of the first major version to the outcome from there on; `why` gives the reason. `in_place.yaml`
has the same two for the layout `in_place`, where something else comes of the probe there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml

from cowscore.model import Layout

HERE = Path(__file__).parent
SAME = "same"
UNKNOWN = "-"
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
IN_PLACE = HERE / "in_place.yaml"
KINDS = {
    "types": "Types",
    "defaults": "NULL, defaults, identity, generated columns",
    "keys": "Keys, unique and exclusion constraints",
    "foreign_keys": "Foreign keys",
    "checks": "NOT NULL, CHECK and domains",
    "triggers": "Triggers",
    "statements": "Statements",
    "returning": "RETURNING",
    "cursors": "Cursors and prepared statements",
    "transactions": "Transactions",
    "locks": "Locks and notifications",
    "views": "Views, functions and rules",
    "privileges": "Privileges and row level security",
    "partitions": "Partitions and inheritance",
    "sequences": "Sequences",
    "refused": "Definitions, maintenance and system columns",
}
"""Name of the file and title on the page, in the order of the page."""


@dataclass(frozen=True)
class Step:
    """One statement: `on` the first or the second connection; what it sends or waits for beside that."""

    statement: str
    second: bool = False
    data: str | None = None
    copies_out: bool = False
    listens: bool = False


@dataclass(frozen=True)
class Probe:
    """One row of the matrix."""

    kind: str
    name: str
    setup: str
    script: tuple[Step, ...]
    expected: dict[Layout, dict[int, str]]
    why: dict[Layout, str]
    since: int
    role: str
    """The role that the client logs in as; empty for a superuser."""
    commits: bool
    """False where plain PostgreSQL leaves a state that no commit can bring about."""

    def expects(self, version: int, layout: Layout) -> str:
        """The outcome on that major version, in a session of that layout."""
        if version < self.since:
            return UNKNOWN
        expected = self.expected[layout]
        return expected[max(first for first in expected if first <= version)]


def _step(entry: Any) -> Step:
    if isinstance(entry, str):
        return Step(entry)
    known = {"second", "copy", "data", "copy_out", "notified"}
    assert set(entry) <= known, entry
    if "copy" in entry:
        return Step(entry["copy"], data=entry["data"])
    if "copy_out" in entry:
        return Step(entry["copy_out"], copies_out=True)
    if "notified" in entry:
        return Step(f"what came on {entry['notified']}", listens=True)
    return Step(entry["second"], second=True)


def _of_type(entry: dict[str, Any]) -> dict[str, Any]:
    """A probe of a type: `values` are three SQL literals; `equality: false` where `=` does not tell values apart."""
    type_, (first, second, third) = entry["type"], entry["values"]
    where = f"a = {first}::{type_}" if entry.get("equality", True) else "id = 1"
    return {
        "name": entry.get("name", type_),
        "setup": entry.get("setup", "")
        + f"create table t (id int primary key, a {type_}, n int default 0, d {type_} default {third}); "
        + f"insert into t (id, a) values (1, {first}), (2, null);",
        "script": [
            f"insert into t (id, a) values (3, {second}), (4, {third}) returning *",
            f"update t set n = n + 1 where {where} returning id, n",
            f"update t set a = {third} where id = 1 returning *",
            "update t set n = n + 1 where a is null",
            "update t set a = default, d = null where id = 3 returning *",
            "delete from t where id = 4 returning *",
            "insert into t select id + 10, a, n, d from t",
            "select id, a::text, n, d::text from t order by id",
        ],
        **{k: v for k, v in entry.items() if k in ("expect", "why", "since")},
    }


def _probe(kind: str, entry: dict[str, Any], in_place: dict[str, dict[str, Any]]) -> Probe:
    entry = _of_type(entry) if "type" in entry else entry
    known = {"name", "setup", "script", "expect", "why", "since", "commits", "role"}
    assert set(entry) <= known, (entry["name"], set(entry) - known)
    outcomes = [entry, in_place.get(kind, {}).get(entry["name"], entry)]
    expected = {layout: _by_version(o.get("expect", SAME)) for layout, o in zip(LAYOUTS, outcomes, strict=True)}
    why = {layout: o.get("why", "") for layout, o in zip(LAYOUTS, outcomes, strict=True)}
    for layout in LAYOUTS:
        deviates = set(expected[layout].values()) != {SAME}
        assert bool(why[layout]) == deviates, f"{entry['name']}: a reason goes with a deviation"
    return Probe(
        kind=kind,
        name=entry["name"],
        setup=entry.get("setup", ""),
        script=tuple(_step(s) for s in entry["script"]),
        expected=expected,
        why=why,
        since=entry.get("since", 0),
        role=entry.get("role", ""),
        commits=entry.get("commits", True),
    )


def _by_version(expected: str | dict[int, str]) -> dict[int, str]:
    return {0: expected} if isinstance(expected, str) else expected


def read() -> tuple[Probe, ...]:
    """All probes, in the order of the page."""
    in_place = yaml.safe_load(IN_PLACE.read_text())
    probes = [_probe(kind, e, in_place) for kind in KINDS for e in yaml.safe_load((HERE / f"{kind}.yaml").read_text())]
    names = [(p.kind, p.name) for p in probes]
    strangers = {(k, n) for k, found in in_place.items() for n in found} - set(names)
    assert not strangers, f"{IN_PLACE.name} speaks of what is no probe: {sorted(strangers)}"
    assert len(names) == len(set(names)), sorted(n for n in names if names.count(n) > 1)
    return tuple(probes)
