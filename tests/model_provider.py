"""An OpenAI-compatible server for tests: answers requests with a script, in order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from cowscore.surface.serving import serving

MODEL = "gpt-4.1"


class Provider:
    """Scripted completions. The last entry of the script repeats; `requests` are the bodies as the client sent them."""

    def __init__(self, *script: JSONResponse | dict[str, Any]) -> None:
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []

    async def complete(self, request: Request) -> JSONResponse:
        self.requests.append(await request.json())
        entry = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return entry if isinstance(entry, JSONResponse) else JSONResponse(entry)

    @contextmanager
    def at(self) -> Iterator[str]:
        """Serve; gives the base URL."""
        with serving(Starlette(routes=[Route("/v1/chat/completions", self.complete, methods=["POST"])])) as url:
            yield f"{url}/v1"


def fails(status: int, **headers: str) -> JSONResponse:
    """An error of the provider."""
    return JSONResponse({"error": {"message": f"status {status}", "code": None}}, status_code=status, headers=headers)


def says(text: str) -> dict[str, Any]:
    """The model's last words."""
    return _completion({"content": text}, "stop")


def calls(*wanted: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """The model calls tools: pairs of name and arguments."""
    made = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(wanted)
    ]
    return _completion({"content": None, "tool_calls": made}, "tool_calls")


def _completion(message: dict[str, Any], reason: str) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
