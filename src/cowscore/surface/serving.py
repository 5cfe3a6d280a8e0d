"""An ASGI application on a real port of this machine, for as long as a `with` block lasts."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn

from cowscore.errors import InstallError


class _Server(uvicorn.Server):
    """Tells when it serves, and leaves the process's signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets=sockets)
        finally:
            self.ready.set()


@contextmanager
def serving(app: Any, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve `app` in a thread and give its base URL; port 0 takes a free one. Stops when the block ends.

    Raises InstallError where the application's startup fails or the port is taken.
    """
    # asyncio turns Nagle's algorithm off only for sockets that name their protocol; else every answer waits 40 ms.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise InstallError(f"cannot serve on {host}:{port}: {error.strerror}; choose another port") from error
        # Listening before the thread starts lets early clients queue instead of being refused.
        listener.listen(128)
        server = _Server(uvicorn.Config(app, log_level="warning", access_log=False, ws="none"))

        def work() -> None:
            # uvicorn ends a failed startup by SystemExit; `started` stays False.
            with suppress(SystemExit):
                server.run(sockets=[listener])

        thread = threading.Thread(target=work, name="cowscore-serving", daemon=True)
        thread.start()
        server.ready.wait()
        try:
            if not server.started:
                raise InstallError("the application did not start; its own log says why")
            yield f"http://{host}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
