"""The command line, the only place that prints or exits.

Exit codes: 0 success; 1 the thing asked about is not so (a conflict, a drifted table, a regression); 2 the question
itself was wrong (usage, connection, rights, unknown session).
"""

from __future__ import annotations

import signal
import sys
from types import FrameType


def main() -> None:
    """Entry point of the program `cowscore`."""
    from cowscore.cli.app import app

    # A plain kill must unwind too, or the embedded server and a half-told session would stay behind.
    signal.signal(signal.SIGTERM, _exit_in_order)
    app()


def _exit_in_order(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
