"""The real model client against a server that speaks the provider's protocol and follows a script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from cowscore.agents.agent import AgentResult
from cowscore.agents.models import ModelAgent, ModelSpec
from cowscore.errors import BadInput, ConnectionFailed
from cowscore.surface.openapi import Surface
from cowscore.surface.serving import serving
from cowscore.surface.tools import Tools
from model_provider import MODEL, Provider, calls, fails, says


def application() -> FastAPI:
    app = FastAPI()

    @app.post("/tasks/{pk}/close", operation_id="close_task", summary="Close task")
    def close(pk: int) -> dict[str, Any]:
        return {"closed": pk}

    return app


@pytest.fixture(scope="module")
def surface() -> Iterator[Surface]:
    app = application()
    with serving(app) as url, httpx.Client(base_url=url) as client:
        yield Surface(app.openapi(), client)


def run(provider: Provider, tools: Tools, **settings: Any) -> AgentResult:
    with provider.at() as url:
        spec = ModelSpec(model=MODEL, base_url=url, **{"retries": 2, "backoff": 0.001, **settings})
        return ModelAgent(spec).run("Close task 1.", tools, seed=7)


DISCOVER = calls(("discover", {"query": "close task"}))
CLOSE = calls(("execute", {"operation_id": "close_task", "arguments": {"pk": 1}}))


def test_prompt_in_tools_called_tokens_and_cost_out(surface: Surface) -> None:
    provider, tools = Provider(DISCOVER, CLOSE, says("Closed.")), Tools(surface, None)
    result = run(provider, tools)
    assert (result.outcome, result.text, result.error) == ("ok", "Closed.", None)
    assert [(call.tool, call.operation_id, call.status) for call in tools.calls] == [
        ("discover", None, None),
        ("execute", "close_task", 200),
    ]
    assert (result.tokens_in, result.tokens_out) == (300, 30)
    assert result.cost is not None
    assert 0 < result.cost < 0.01
    first, second, third = provider.requests
    assert {tool["function"]["name"] for tool in first["tools"]} == {"discover", "execute"}
    assert first["messages"][-1]["content"] == "Close task 1."
    assert "close_task" in second["messages"][-1]["content"]
    assert '"closed":1' in third["messages"][-1]["content"].replace(" ", "")
    assert len(result.messages) == 6


def test_seed_and_temperature_are_sent_only_if_asked_for(surface: Surface) -> None:
    provider = Provider(says("done"))
    run(provider, Tools(surface, None))
    run(provider, Tools(surface, None), seed=True, temperature=0.5)
    plain, set_ = provider.requests
    assert not {"seed", "temperature"} & plain.keys()
    assert (set_["seed"], set_["temperature"]) == (7, 0.5)


def test_several_calls_in_one_answer_are_made_in_order(surface: Surface) -> None:
    wanted = [("execute", {"operation_id": "close_task", "arguments": {"pk": n}}) for n in range(8)]
    tools = Tools(surface, None)
    assert run(Provider(calls(*wanted), says("done")), tools).outcome == "ok"
    assert [call.arguments["arguments"]["pk"] for call in tools.calls] == list(range(8))


def test_a_rate_limit_is_waited_out(surface: Surface) -> None:
    provider, tools = Provider(DISCOVER, fails(429), fails(503), CLOSE, says("Closed.")), Tools(surface, None)
    result = run(provider, tools)
    assert result.outcome == "ok"
    assert len(tools.calls) == 2, "what the model did before the error is not done again"
    assert len(provider.requests) == 5


def test_persistent_errors_of_the_provider_are_infrastructure(surface: Surface) -> None:
    provider = Provider(DISCOVER, fails(500))
    result = run(provider, Tools(surface, None))
    assert result.outcome == "infrastructure"
    assert "500" in str(result.error)
    assert len(provider.requests) == 1 + 3
    assert result.tokens_in == 100


def test_a_refused_key_is_infrastructure_at_once(surface: Surface) -> None:
    provider = Provider(fails(401))
    assert run(provider, Tools(surface, None)).outcome == "infrastructure"
    assert len(provider.requests) == 1


def test_a_provider_that_is_not_there_is_infrastructure(surface: Surface) -> None:
    with Provider(says("")).at() as url:
        pass
    agent = ModelAgent(ModelSpec(model=MODEL, base_url=url, retries=1, backoff=0.001))
    assert agent.run("x", Tools(surface, None), seed=0).outcome == "infrastructure"


def test_used_up_calls_end_as_limit(surface: Surface) -> None:
    tools = Tools(surface, None, limit=3)
    result = run(Provider(DISCOVER), tools)
    assert result.outcome == "limit"
    assert len(tools.calls) == 3
    assert result.tokens_in == 400


def test_tool_calls_that_are_no_such_tool_end_as_the_agents_error(surface: Surface) -> None:
    result = run(Provider(calls(("destroy", {}))), Tools(surface, None))
    assert result.outcome == "agent_error"
    assert "destroy" in str(result.error)


def test_a_conversation_too_long_is_the_agents_error(surface: Surface) -> None:
    too_long = fails(400)
    too_long.body = b'{"error": {"message": "too long", "code": "context_length_exceeded"}}'
    too_long.headers["content-length"] = str(len(too_long.body))
    assert run(Provider(too_long), Tools(surface, None)).outcome == "agent_error"


def test_an_application_that_is_not_there_is_not_the_agents_doing() -> None:
    app = application()
    with serving(app) as url:
        pass
    with httpx.Client(base_url=url) as client, pytest.raises(ConnectionFailed):
        run(Provider(CLOSE, says("done")), Tools(Surface(app.openapi(), client), None))


def test_mistakes_in_a_spec_show_before_any_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(BadInput, match="OPENAI_API_KEY"):
        ModelAgent(ModelSpec(model="openai:gpt-4.1"))
    with pytest.raises(BadInput, match="nonsense"):
        ModelAgent(ModelSpec(model="nonsense:gpt"))
    with pytest.raises(BadInput, match="MY_KEY"):
        ModelAgent(ModelSpec(model="m", base_url="http://127.0.0.1:1/v1", api_key_env="MY_KEY"))


def test_names() -> None:
    spec = ModelSpec(model="m", base_url="http://127.0.0.1:1/v1")
    assert ModelAgent(spec).name == "m"
    assert ModelAgent(spec.model_copy(update={"name": "local"})).name == "local"
