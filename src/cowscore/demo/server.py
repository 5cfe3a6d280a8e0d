"""Serves an ASGI application from a thread of this process, on a free port of the loopback interface."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from cowscore.errors import CowscoreError


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve `app` over HTTP while the block runs; yields its base URL, e.g. http://127.0.0.1:40123.

    Raises CowscoreError if the server stops before it is ready.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="tracker", daemon=True)
        thread.start()
        try:
            # Connections queue in the listener, so nobody has to wait until the server accepts them.
            if not thread.is_alive():
                raise CowscoreError("the demo's web server stopped at once; its log says why")
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
