"""Models of providers through pydantic-ai, which only this module imports.

A call makes one request without retries: the middleware counts attempts. Every request has its own
connection, which is always closed.
"""

from __future__ import annotations

import re
from asyncio import timeout
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

import httpx2
from msgspec import ValidationError, convert
from msgspec.structs import replace
from pydantic_ai import direct
from pydantic_ai import exceptions as x
from pydantic_ai import messages as m
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import CacheConfig, ModelSettings
from pydantic_ai.tools import ToolDefinition

from outlast.agent.models.providers.connection import open_client
from outlast.agent.models.providers.sanitize import (
    KeyFilter,
    clean_params,
    clean_text,
    describe_problem,
)
from outlast.agent.models.tool_call_ids import renumber_calls
from outlast.context.chat_model import Call, Message, Price, Reply, ToolSpec, Usage
from outlast.errors import ModelBusy, ModelFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


Kind = Literal["anthropic", "openai", "openai-compatible", "ollama"]
_EMPTY: Final = '""'  # providers refuse empty texts
_INVALID_IN_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME: Final = 64
_MAX_BYTES: Final = 16 * 1024 * 1024  # a long streamed answer has a few million
_BUSY: Final = (408, 409, 425, 429)
_SERVER_ERROR: Final = 500
_KEY_REFUSED: Final = (401, 403)
_NOT_FOUND: Final = 404
_MODULES: Final = {"openai-compatible": "openai"}
_NO_KEY: Final = "none"  # the client insists on a key even if the server needs none
_NOT_SENT: Final = ("pool", "connect")  # phases in which a request has not reached the server
_MILLION: Final = 1_000_000
_LISTED: Final = ("anthropic", "openai")  # other providers reuse model names at other prices


def build_history(messages: Sequence[Message], *, with_cache_point: bool) -> list[m.ModelMessage]:
    """Return the conversation as pydantic-ai messages, optionally with a cache point."""
    converted: list[m.ModelMessage] = []
    names: dict[str, str] = {}
    for message in renumber_calls(messages):
        if message.role == "assistant":
            parts = _response_parts(message)
            names.update((call.id, safe_tool_name(call)) for call in message.calls)
            if parts:
                converted.append(m.ModelResponse(parts))
        elif converted and isinstance(last := converted[-1], m.ModelRequest):
            converted[-1] = m.ModelRequest([*last.parts, _request_part(message, names)])
        else:
            converted.append(m.ModelRequest([_request_part(message, names)]))
    end = converted[-1] if converted else None
    if not isinstance(end, m.ModelRequest):  # providers need a request to answer
        end = m.ModelRequest([m.UserPromptPart(_EMPTY)])
        converted.append(end)
    if with_cache_point:
        converted[-1] = m.ModelRequest(_add_cache_point(end.parts, is_first=len(converted) == 1))
    return converted


def _add_cache_point(
    parts: Sequence[m.ModelRequestPart], *, is_first: bool
) -> list[m.ModelRequestPart]:
    """Insert a cache point before the last user message.

    That message may be the plan block, which the next request replaces.
    """
    *before, last = parts
    point = m.UserPromptPart([m.CachePoint()])
    if not isinstance(last, m.UserPromptPart):
        return [*parts, point]
    if is_first and not any(isinstance(part, m.UserPromptPart) for part in before):
        return [*parts]
    return [*before, point, last]


def _response_parts(message: Message) -> list[m.ModelResponsePart]:
    parts: list[m.ModelResponsePart] = [m.TextPart(message.text)] if message.text.strip() else []
    return [
        *parts,
        *(m.ToolCallPart(safe_tool_name(call), call.params, call.id) for call in message.calls),
    ]


def safe_tool_name(call: Call) -> str:
    """Return a call's name as providers accept it; models may invent invalid names."""
    return _INVALID_IN_NAME.sub("_", call.name)[:_MAX_NAME] or "_"


def _request_part(message: Message, names: dict[str, str]) -> m.ModelRequestPart:
    text = message.text if message.text.strip() else _EMPTY
    if message.role == "tool":
        return m.ToolReturnPart(names[message.call_id], text, message.call_id)
    kind = m.SystemPromptPart if message.role == "system" else m.UserPromptPart
    return kind(text)


class ProviderModel:
    """One model of one provider."""

    def __init__(  # noqa: PLR0913 - one keyword per setting
        self,
        kind: Kind,
        model: str,
        *,
        name: str = "",
        url: str | None = None,
        key: str = "",
        seconds: float = 300.0,
        price: Price | None = None,
        max_bytes: int = _MAX_BYTES,
    ) -> None:
        """Take the model, its server and the limits of an answer; import its client now."""
        self.name = name or f"{kind}:{model}"
        self._kind, self._model, self._url, self._key = kind, model, url, key
        self._seconds, self._max_bytes, self._configured_price = seconds, max_bytes, price
        for part in ("models", "providers"):  # slow: not part of a request
            import_module(f"pydantic_ai.{part}.{_MODULES.get(kind, kind)}")

    @property
    def price(self) -> Price | None:
        """The configured price, else that of the price list."""
        return self._configured_price or listed_price(self._kind, self._model)

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Request a reply from the provider."""
        settings = self._settings(max_tokens)
        offered = [_tool_definition(tool.name, tool.parameters, tool.description) for tool in tools]
        called_names = {safe_tool_name(call) for message in messages for call in message.calls}
        if (
            called_names and not offered and self._kind == "anthropic"
        ):  # it requires a definition of each called tool
            offered = [
                _tool_definition(name, {"type": "object", "properties": {}})
                for name in sorted(called_names)
            ]
            settings["tool_choice"] = "none"
        parameters = ModelRequestParameters(function_tools=offered)
        return await self._request_reply(messages, parameters, settings, on_text)

    async def think_structured(
        self, messages: Sequence[Message], schema: dict[str, Any], *, max_tokens: int | None = None
    ) -> Reply:
        """Request a reply that is JSON of a schema (structured output)."""
        strict = None if self._kind == "anthropic" else False  # Anthropic has only a strict mode
        output = OutputObjectDefinition(json_schema=schema, name="answer", strict=strict)
        parameters = ModelRequestParameters(
            output_mode="native", output_object=output, allow_text_output=False
        )
        return await self._request_reply(messages, parameters, self._settings(max_tokens), None)

    def _settings(self, max_tokens: int | None) -> ModelSettings:
        cached = CacheConfig(messages=self._kind != "anthropic")  # else by cache point
        settings = ModelSettings(max_retries=0, timeout=self._seconds, cache=cached)
        if max_tokens is not None:
            settings["max_tokens"] = max_tokens
        return settings

    async def _request_reply(
        self,
        messages: Sequence[Message],
        parameters: ModelRequestParameters,
        settings: ModelSettings,
        on_text: Callable[[str], object] | None,
    ) -> Reply:
        try:
            async with timeout(self._seconds):
                response = await self._send(messages, parameters, settings, on_text)
            return self._read_reply(response)
        except Exception as error:  # noqa: BLE001 - any error of a provider is a failed model
            failure = self._failure(error)
        raise failure  # raised here, it holds no reference to the request and its key

    async def _send(
        self,
        messages: Sequence[Message],
        parameters: ModelRequestParameters,
        settings: ModelSettings,
        on_text: Callable[[str], object] | None,
    ) -> m.ModelResponse:
        conversation = build_history(messages, with_cache_point=self._kind == "anthropic")
        key = None if self._kind in ("anthropic", "openai") else self._key
        async with open_client(self._seconds, self._max_bytes, key) as client:
            model = self._pydantic_model(client)
            if on_text is None:
                return await direct.model_request(
                    model,
                    conversation,
                    model_settings=settings,
                    model_request_parameters=parameters,
                    instrument=False,
                )
            async with direct.model_request_stream(
                model,
                conversation,
                model_settings=settings,
                model_request_parameters=parameters,
                instrument=False,
            ) as stream:
                pieces = KeyFilter(self._key, on_text)
                async for event in stream:
                    if piece := _text_delta(event):
                        pieces.add(piece)
                pieces.flush()
                response = stream.get()
        details = response.provider_details or {}
        if not (details.get("finish_reason") or details.get("refusal")):
            raise ModelBusy("model_unreachable", model=self.name, problem="cut off", usage=None)
        return response

    def _pydantic_model(self, client: httpx2.AsyncClient) -> Model:
        """Return the pydantic-ai model on a connection."""
        url, key = self._url, self._key or _NO_KEY
        if self._kind == "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            access = AnthropicProvider(api_key=key, base_url=url, http_client=client)
            return AnthropicModel(self._model, provider=access)
        if self._kind == "ollama":
            from pydantic_ai.models.ollama import OllamaModel
            from pydantic_ai.profiles.openai import OpenAIModelProfile
            from pydantic_ai.providers.ollama import OllamaProvider

            local = OllamaProvider(base_url=url, api_key=key, http_client=client)
            known = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
            return OllamaModel(self._model, provider=local, profile=known)
        return self._openai_model(url, key, client)

    def _openai_model(self, url: str | None, key: str, client: httpx2.AsyncClient) -> Model:
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.profiles.openai import OpenAIModelProfile
        from pydantic_ai.providers.openai import OpenAIProvider
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        if self._kind == "openai":
            own = OpenAIProvider(base_url=url, api_key=key, http_client=client)
            return OpenAIChatModel(self._model, provider=own)
        other = OpenAICompatibleProvider(
            self._kind, base_url=url or "", api_key=key, http_client=client
        )
        known = OpenAIModelProfile(
            openai_chat_supports_max_completion_tokens=False, supports_json_schema_output=True
        )
        return OpenAIChatModel(self._model, provider=other, profile=known)

    def _read_reply(self, response: m.ModelResponse) -> Reply:
        """Convert the response; a failure still carries the usage that was paid."""
        usage = self._read_usage(response)
        try:
            self._require_complete(response)
            return self._read_parts(response, usage)
        except ModelFailed as error:
            error.details["usage"] = usage
            raise

    def _read_parts(self, response: m.ModelResponse, usage: Usage | None) -> Reply:
        """Read text and calls from the parts; finish reasons are unreliable."""
        texts, calls, invalid = [], [], 0
        for part in response.parts:
            if isinstance(part, m.TextPart):
                texts.append(clean_text(part.content, self._key))
            elif isinstance(part, m.ToolCallPart):
                name = clean_text(part.tool_name, self._key)
                params = clean_params(part.args, self._key)
                if params is None:
                    invalid += 1
                else:
                    calls.append(Call(name, params, part.tool_call_id))
        return Reply("".join(texts), tuple(calls), usage, invalid)

    def _require_complete(self, response: m.ModelResponse) -> None:
        """Raise `ModelFailed` for a refusal or a reply cut off at the token limit."""
        details = response.provider_details or {}
        if response.finish_reason == "content_filter":
            reason = details.get("refusal") or response.text or details.get("finish_reason")
            problem = describe_problem(reason, self._key)
            raise ModelFailed("model_declined", model=self.name, problem=problem)
        if response.finish_reason == "length" and (response.tool_calls or not response.text):
            written = response.usage.output_tokens
            raise ModelFailed("model_cut", model=self.name, written=written)

    def _read_usage(self, response: m.ModelResponse) -> Usage | None:
        used = response.usage
        try:
            usage = convert(
                {
                    "input": used.input_tokens,
                    "output": used.output_tokens,
                    "cached": used.cache_read_tokens,
                },
                Usage,
            )
        except ValidationError:
            usage = Usage(-1)
        if min(usage.input, usage.output, usage.cached) < 0:
            raise ModelFailed("model_garbled", model=self.name, problem="usage", usage=None)
        if not usage.tokens:
            return None
        cache_writes = used.cache_write_tokens
        cost = cost_of(self._configured_price, self._kind, self._model, usage, cache_writes)
        return replace(usage, money=cost)

    def _failure(self, error: Exception) -> ModelFailed:
        """Convert an error to ours, without the key.

        Without `usage` in its details nothing was paid; `usage=None` means an unknown amount.
        """
        if (own := _find_own_error(error)) is not None:
            return type(own)(own.text, **{"usage": None, **own.details, "model": self.name})
        if isinstance(error, TimeoutError | x.ModelTimeoutError | x.ModelRequestTimeout):
            return ModelBusy("model_timed_out", model=self.name, seconds=self._seconds, usage=None)
        if isinstance(error, x.ModelHTTPError):
            return self._http_failure(error)
        if isinstance(error, x.UserError):  # raised before anything is sent
            problem = describe_problem(error, self._key)
            return ModelFailed("model_refused", model=self.name, status=400, problem=problem)
        if isinstance(error, x.ModelConnectionError | httpx2.TransportError):
            problem = describe_problem(_root_cause(error), self._key)
            paid = {} if getattr(error, "phase", None) in _NOT_SENT else {"usage": None}
            return ModelBusy("model_unreachable", model=self.name, problem=problem, **paid)
        problem = describe_problem(f"{type(error).__name__}: {error}", self._key)
        return ModelFailed("model_garbled", model=self.name, problem=problem, usage=None)

    def _http_failure(self, error: x.ModelHTTPError) -> ModelFailed:
        status = error.status_code
        if isinstance(error, x.ModelQuotaExceededError):
            return ModelFailed("model_quota", model=self.name, status=status)
        if status in _BUSY or status >= _SERVER_ERROR:
            retry_after = error.retry_after
            return ModelBusy("model_busy", model=self.name, status=status, retry_after=retry_after)
        if status in _KEY_REFUSED:
            return ModelFailed("model_key_refused", model=self.name, status=status)
        if status == _NOT_FOUND:
            return ModelFailed("model_not_there", model=self.name, status=status)
        problem = describe_problem(error.body, self._key)
        return ModelFailed("model_refused", model=self.name, status=status, problem=problem)


def _tool_definition(
    name: str, schema: dict[str, Any], description: str | None = None
) -> ToolDefinition:
    return ToolDefinition(name=name, parameters_json_schema=schema, description=description)


def _text_delta(event: object) -> str:
    """Return the text that a stream event adds, if any."""
    if isinstance(event, m.PartStartEvent) and isinstance(event.part, m.TextPart):
        return event.part.content
    if isinstance(event, m.PartDeltaEvent) and isinstance(event.delta, m.TextPartDelta):
        return event.delta.content_delta
    return ""


def _root_cause(error: BaseException) -> BaseException:
    """Return the innermost error that has a message."""
    while (cause := error.__cause__ or error.__context__) is not None and str(cause):
        error = cause
    return error


def _find_own_error(error: BaseException | None) -> ModelFailed | None:
    """Return the `ModelFailed` wrapped in an error, if there is one."""
    while error is not None and not isinstance(error, ModelFailed):
        error = error.__cause__ or error.__context__
    return error


def listed_price(provider: str, model: str) -> Price | None:
    """Return the highest price of a model, cache writes included.

    Tiered prices are lower for the first tokens of a request.
    """
    cost = _listed_cost(provider, model, Usage(_MILLION, _MILLION), _MILLION)
    return None if cost is None else Price(*cost)


def cost_of(
    configured: Price | None, provider: str, model: str, usage: Usage, cache_writes: int
) -> float | None:
    """Return the cost of a reply in dollars, or None if it is unknown.

    `cache_writes` are the input tokens that the provider wrote to its cache.
    """
    if configured is not None:
        return configured.cost(usage)
    cost = _listed_cost(provider, model, usage, cache_writes)
    return None if cost is None else sum(cost)


def _listed_cost(
    provider: str, model: str, usage: Usage, cache_writes: int
) -> tuple[float, float] | None:
    if provider not in _LISTED:
        return None
    try:
        from genai_prices import Usage as Used
        from genai_prices import calc_price
    except ImportError:
        return None
    used = Used(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cached,
        cache_write_tokens=cache_writes,
    )
    try:
        cost = calc_price(used, model_ref=model, provider_id=provider)
    except (LookupError, ValueError):  # an unlisted model, or impossible numbers
        return None
    return float(cost.input_price), float(cost.output_price)
