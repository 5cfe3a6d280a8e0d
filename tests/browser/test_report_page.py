"""The report page in a real browser: what its script makes of the trials."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cowscore.report.html import write_html
from experiment_results import experiment

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=5000",
    "--enable-logging=stderr",
    "--dump-dom",
)


@pytest.fixture(scope="session")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None and os.environ.get("CI"):
        pytest.fail("no chromium: apt-get install chromium")
    if found is None:
        pytest.skip("no chromium; apt-get install chromium to run the tests in a browser")
    return found


def opened(chromium: str, page: Path, fragment: str, profile: Path) -> tuple[str, str]:
    """The page's text after its script ran, and what the console said."""
    address = page.as_uri() + fragment
    result = subprocess.run(
        [chromium, *FLAGS, f"--user-data-dir={profile}", address], capture_output=True, text=True, check=True
    )
    body = result.stdout.split("<body>")[1].split('<script type="application/json"')[0]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split()), "\n".join(
        line for line in result.stderr.splitlines() if "CONSOLE" in line
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fragment", "shown", "hidden"),
    [
        ("", ["19 of 19 trials"], ["Missing rows"]),
        ("#agent=scripted%3Aslow&surface=v1", ["7 of 19 trials"], ["Missing rows"]),
        (
            "#agent=scripted%3Aslow&workflow=beta&surface=v2",
            ["1 of 19 trials", "Matched rows (4)", "Tool calls (1)", "execute paint", "status 200"],
            ["Missing rows"],
        ),
        ("#outcome=infrastructure", ["1 of 19 trials", "provider: 503", "no score"], ["Matched rows"]),
        (
            "#trial=1",
            ["1 of 19 trials", "Missing rows: the recording has them, the agent does not (3)", "color: blue"],
            [],
        ),
    ],
)
def test_a_link_opens_its_trials(
    chromium: str, tmp_path: Path, fragment: str, shown: list[str], hidden: list[str]
) -> None:
    page = tmp_path / "report.html"
    write_html(experiment(), page)
    text, console = opened(chromium, page, fragment, tmp_path / "profile")
    assert console == ""
    assert [wanted for wanted in shown if wanted not in text] == []
    assert [unwanted for unwanted in hidden if unwanted in text] == []
