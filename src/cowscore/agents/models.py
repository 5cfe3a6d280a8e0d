"""Models of any provider as agents, through pydantic-ai: the prompt goes in, the two tools are all it has."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from cowscore.agents.agent import AgentResult, Outcome
from cowscore.errors import BadInput, ConnectionFailed, MissingExtra
from cowscore.surface.tools import LimitReached, Tools

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.usage import RunUsage

INSTRUCTIONS = (
    "You operate an application for a user through two tools. `discover` searches the operations of its API and tells"
    " their parameters; `execute` calls one. You have a limited number of calls. Do exactly what the user asks, all of"
    " it and nothing else, without asking back, and end with one sentence on what you did."
)


class ModelSpec(BaseModel):
    """Which model, where, and with which settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(min_length=1)
    """`provider:model` as pydantic-ai names it; with a `base_url` the bare name that the server knows."""
    base_url: str | None = None
    """Of an OpenAI-compatible server, e.g. `http://localhost:8000/v1`."""
    api_key_env: str | None = None
    """Environment variable with the key for `base_url`; other providers read theirs from variables of their own."""
    name: str | None = None
    """What results call the agent; the model's name by default."""
    temperature: float | None = Field(default=None, ge=0)
    seed: bool = False
    """Send the trial's seed to the provider; some refuse it."""
    max_tokens: int | None = Field(default=None, gt=0)
    instructions: str = INSTRUCTIONS
    retries: int = Field(default=5, ge=0)
    """How often a request is sent again after a rate limit, an error of the provider or a broken connection."""
    backoff: float = Field(default=1.0, ge=0)
    """Seconds before the first repetition, doubled for each further one, at most a minute; the provider's own
    `Retry-After` wins where it is longer."""


class ModelAgent:
    """A model as an agent. Raises BadInput for an unknown model or no API key, MissingExtra without pydantic-ai."""

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec
        # Made anew for every run, whose event loop its connections belong to; made here once to fail before any trial.
        self._model()

    @property
    def name(self) -> str:
        """The name in results."""
        return self._spec.name or self._spec.model

    def run(self, prompt: str, tools: Tools, seed: int) -> AgentResult:
        """Let the model work. Errors of the provider that persist end as `infrastructure`.

        Raises ConnectionFailed where the application cannot be reached.
        """
        return asyncio.run(self._run(prompt, tools, seed))

    async def _run(self, prompt: str, tools: Tools, seed: int) -> AgentResult:
        from pydantic_ai import capture_run_messages, exceptions
        from pydantic_ai.usage import RunUsage, UsageLimits

        usage = RunUsage()
        # Tools counts the calls; this bounds requests whose tool calls are malformed and never reach it.
        limits = UsageLimits(request_limit=2 * tools.limit + 10)
        with capture_run_messages() as messages:
            try:
                agent = self._agent(tools, seed)
                async with agent:
                    result = await agent.run(prompt, usage=usage, usage_limits=limits)
            except (LimitReached, exceptions.UsageLimitExceeded) as error:
                return _result("limit", usage, messages, error=str(error))
            except ConnectionFailed:
                raise
            except exceptions.ModelAPIError as error:
                # A conversation too long for the model is of the agent's own making.
                overflow = type(error).__name__ == "ModelContextWindowExceededError"
                return _result("agent_error" if overflow else "infrastructure", usage, messages, error=str(error))
            except exceptions.AgentRunError as error:
                return _result("agent_error", usage, messages, error=str(error))
        return _result("ok", usage, messages, text=result.output)

    def _agent(self, tools: Tools, seed: int) -> Agent[object, str]:
        from pydantic_ai import Agent, Tool
        from pydantic_ai.settings import ModelSettings

        def discover(query: str) -> dict[str, Any]:
            """Search the application's operations by a few words; answers with the best matches and their parameters.

            Args:
                query: What you want to do, in a few words.
            """
            return tools.discover(query)

        def execute(operation_id: str, arguments: dict[str, Any]) -> dict[str, Any]:
            """Call an operation of the application; answers with the HTTP status and body, or with an error.

            Args:
                operation_id: As discover shows it.
                arguments: Path and query parameters and fields of the body by name, all in one object.
            """
            return tools.execute(operation_id, arguments)

        settings = ModelSettings()
        if self._spec.temperature is not None:
            settings["temperature"] = self._spec.temperature
        if self._spec.max_tokens is not None:
            settings["max_tokens"] = self._spec.max_tokens
        if self._spec.seed:
            settings["seed"] = seed
        return Agent(
            _with_retries(self._model(), self._spec.retries, self._spec.backoff),
            instructions=self._spec.instructions,
            # One call after the other: the order of operations is part of what is scored.
            tools=[Tool(function, sequential=True, max_retries=3) for function in (discover, execute)],
            model_settings=settings,
        )

    def _model(self) -> Model:
        try:
            from pydantic_ai.exceptions import UserError
            from pydantic_ai.models import infer_model
        except ImportError as error:
            raise MissingExtra(f"models need pydantic-ai: pip install 'cowscore[agents]' ({error})") from error
        if self._spec.base_url is not None:
            return _openai_compatible(self._spec.model, self._spec.base_url, self._api_key())
        try:
            return infer_model(self._spec.model)
        except (UserError, ValueError) as error:
            raise BadInput(f"model {self._spec.model!r}: {error}") from error
        except ImportError as error:
            raise MissingExtra(f"model {self._spec.model!r}: {error}") from error

    def _api_key(self) -> str | None:
        variable = self._spec.api_key_env
        if variable is None:
            return None
        if not os.environ.get(variable):
            raise BadInput(f"model {self._spec.model!r}: environment variable {variable} (api_key_env) is not set")
        return os.environ[variable]


def _openai_compatible(model: str, base_url: str, api_key: str | None) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    # Local servers want no key and the client insists on one.
    provider = OpenAIProvider(base_url=base_url, api_key=api_key or "none")
    # Repetition is `_with_retries`'s business alone.
    provider.client.max_retries = 0
    return OpenAIChatModel(model, provider=provider)


def _with_retries(model: Model, retries: int, backoff: float) -> Model:
    """`model`, sending a request again where that may help; the conversation before it is kept."""
    from pydantic_ai.exceptions import ModelAPIError
    from pydantic_ai.models.wrapper import WrapperModel

    class Retrying(WrapperModel):
        async def request(
            self,
            messages: list[ModelMessage],
            model_settings: ModelSettings | None,
            model_request_parameters: ModelRequestParameters,
        ) -> ModelResponse:
            attempt = 0
            while True:
                try:
                    return await super().request(messages, model_settings, model_request_parameters)
                except ModelAPIError as error:
                    if attempt >= retries or not _may_pass(error):
                        raise
                    asked = getattr(error, "retry_after", None) or 0.0
                    await asyncio.sleep(max(asked, min(60.0, backoff * 2**attempt)))
                    attempt += 1

    return Retrying(model)


def _may_pass(error: Exception) -> bool:
    """True for an error that may be gone the next time: no HTTP status (connection, timeout), 408, 409, 429, 5xx."""
    status = getattr(error, "status_code", None)
    return status is None or status in (408, 409, 429) or status >= 500


def _result(
    outcome: Outcome, usage: RunUsage, messages: list[ModelMessage], text: str = "", error: str | None = None
) -> AgentResult:
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    measured = bool(usage.input_tokens or usage.output_tokens)
    conversation: list[Mapping[str, Any]] = json.loads(ModelMessagesTypeAdapter.dump_json(messages))
    return AgentResult(
        outcome=outcome,
        text=text,
        tokens_in=usage.input_tokens if measured else None,
        tokens_out=usage.output_tokens if measured else None,
        cost=_cost(messages),
        messages=tuple(conversation),
        error=error,
    )


def _cost(messages: list[ModelMessage]) -> float | None:
    """US dollars for all responses; None where the price of one of them is unknown."""
    from pydantic_ai.messages import ModelResponse

    responses = [message for message in messages if isinstance(message, ModelResponse)]
    try:
        return sum(float(response.cost().total_price) for response in responses) if responses else None
    except (LookupError, ValueError, AssertionError):
        return None
