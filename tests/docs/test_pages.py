"""What README and docs show is what happens: every example is a file, runs, and prints what the page says.

Markers in a page, each the line before a fenced block:

`<!-- example: FILE -->`: the block equals `docs/examples/FILE`, which runs. `<!-- run: FILE -->` runs one unseen.
`<!-- output -->`: what the example before it prints; UUIDs and times may differ.
`<!-- not run: REASON -->`: the only way to leave a block of code unmarked by a file.

The examples of one page run in order on one new database (COWSCORE_DSN): Python in one namespace, shell in one shell,
SQL by psql, YAML is read as an experiment and put
into the working directory.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import servers
from cowscore.experiments.spec import read_experiment

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = {"python", "sql", "sh", "bash", "yaml", "js"}
SUFFIXES = {".py": "python", ".sql": "sql", ".sh": "sh", ".yaml": "yaml"}

_FENCED = re.compile(
    r"(?:^<!-- (?P<marker>[a-z ]+)(?:: (?P<value>[^\n]+?))? -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$"
    r"|^<!-- run: (?P<unseen>\S+) -->$",
    re.DOTALL | re.MULTILINE,
)
_VARYING = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(\+\d\d(:?\d\d)?)?"), "<time>"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
]


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block, or an unseen example."""

    marker: str
    value: str
    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    content = page.read_text()
    return [
        Block(
            marker="run" if found["unseen"] else found["marker"] or "",
            value=found["unseen"] or found["value"] or "",
            language=found["language"] or "",
            text=found["text"] or "",
            line=content.count("\n", 0, found.start()) + 1,
        )
        for found in _FENCED.finditer(content)
    ]


def title(page: Path) -> str:
    return str(page.relative_to(ROOT))


def alike(text: str) -> str:
    for pattern, replacement in _VARYING:
        text = pattern.sub(replacement, text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


class Bench:
    """Runs examples one after the other on one database."""

    def __init__(self, dsn: str, programs: Path, directory: Path) -> None:
        self.names: dict[str, Any] = {"__name__": "example"}
        path = os.pathsep.join([str(Path(sys.executable).parent), str(programs), os.environ["PATH"]])
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "COWSCORE"))}
        self.environment = {**kept, "PATH": path, "COWSCORE_DSN": dsn, "PGTZ": "UTC", "PYTHONWARNINGS": "error"}
        self.dsn = dsn
        self.directory = directory
        self.shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=directory,
            env=self.environment,
        )
        self.say("set -eu")

    def close(self) -> None:
        assert self.shell.stdin is not None
        self.shell.stdin.close()
        self.shell.wait()
        assert self.shell.stdout is not None
        self.shell.stdout.close()

    def run(self, file: Path) -> str:
        """What the example prints. Fails where it fails."""
        if file.suffix == ".py":
            return self.python(file)
        if file.suffix == ".sql":
            return self.say(f"psql -X -q -v ON_ERROR_STOP=1 -d \"$COWSCORE_DSN\" <'{file}' 2>&1")
        if file.suffix == ".sh":
            return self.say(f"source '{file}' </dev/null")
        read_experiment(file)
        shutil.copy(file, self.directory)
        return ""

    def python(self, file: Path) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(file.read_text(), str(file), "exec"), self.names)
        return printed.getvalue()

    def say(self, command: str) -> str:
        assert self.shell.stdin is not None
        assert self.shell.stdout is not None
        self.shell.stdin.write(f"{command}\necho; echo '--- done'\n")
        self.shell.stdin.flush()
        said = []
        for line in self.shell.stdout:
            if line == "--- done\n":
                # The echo before it makes sure that the mark starts a line.
                return "".join(said).removesuffix("\n")
            said.append(line)
        raise AssertionError(f"{command} failed with exit code {self.shell.wait()}:\n{''.join(said)}")


@pytest.fixture
def bench(dsn: str, server: servers.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    made = Bench(dsn, server.programs, tmp_path)
    monkeypatch.setenv("COWSCORE_DSN", dsn)
    monkeypatch.setenv("PGTZ", "UTC")
    monkeypatch.chdir(tmp_path)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(b.marker in ("example", "run") for b in blocks(page))], ids=title
)
def test_examples_do_what_the_page_shows(page: Path, bench: Bench) -> None:
    printed = None
    for block in blocks(page):
        if block.marker in ("example", "run"):
            printed = bench.run(EXAMPLES / block.value)
        elif block.marker == "output":
            assert printed is not None, f"line {block.line}: output of what?"
            assert alike(block.text) == alike(printed), f"line {block.line} shows what did not happen"


@pytest.mark.slow
def test_the_demo_prints_what_the_readme_shows(tmp_path: Path) -> None:
    (excerpt,) = (block for block in blocks(ROOT / "README.md") if block.marker == "demo excerpt")
    result = subprocess.run(
        [Path(sys.executable).with_name("cowscore"), "demo", "--out", tmp_path / "demo"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    printed = alike(result.stderr + result.stdout).splitlines()
    assert [line for line in alike(excerpt.text).splitlines() if line not in printed] == []


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_blocks_are_the_files(page: Path) -> None:
    for block in blocks(page):
        where = f"{title(page)}, line {block.line}"
        if block.marker == "example":
            file = EXAMPLES / block.value
            assert SUFFIXES[file.suffix] == block.language, where
            assert block.text == file.read_text(), f"{where} differs from docs/examples/{block.value}"
        elif block.language in CODE:
            assert block.marker == "not run", f"{where}: code that no test runs"
            assert block.value, f"{where}: why is it not run?"


def test_every_example_is_on_a_page() -> None:
    shown = {block.value for page in PAGES for block in blocks(page) if block.marker in ("example", "run")}
    assert {file.name for file in EXAMPLES.iterdir() if file.suffix in SUFFIXES} == shown


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_links_lead_somewhere(page: Path) -> None:
    prose = _FENCED.sub("", page.read_text())
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"https?://", target):
            continue
        name, _, fragment = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{title(page)} links to {target}"
        if fragment and file.suffix == ".md":
            assert fragment in anchors(file), f"{title(page)} links to {target}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
