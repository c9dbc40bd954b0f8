"""Models of providers, through pydantic-ai: only this and `history` know it here.

Only single requests are made with it, and nothing is tried twice here: whoever asks counts the
tries. Every request has a connection of its own, which is closed whatever happens.
"""

from __future__ import annotations

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

from outlast.adapters.models.providers.connection import connection
from outlast.adapters.models.providers.history import history, tool_name
from outlast.adapters.models.providers.prices import listed_price, money
from outlast.adapters.models.providers.sanitize import (
    Pieces,
    clean_params,
    clean_text,
    problem_words,
)
from outlast.errors import ModelBusy, ModelFailed
from outlast.ports.model import Call, Reply, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.ports.model import Message, Price, ToolSpec

Kind = Literal["anthropic", "openai", "openai-compatible", "ollama"]
_MOST: Final = 16 * 1024 * 1024  # bytes; a long answer in small pieces has a few million
_BUSY: Final = (408, 409, 425, 429)
_SERVER: Final = 500
_KEY: Final = (401, 403)
_GONE: Final = 404
_HOMES: Final = {"openai-compatible": "openai"}
_NO_KEY: Final = "none"  # a server of one's own may want none, but the client insists
_NOT_SENT: Final = ("pool", "connect")  # how far a request came of which nobody has heard


class ProviderModel:
    """One model of one provider."""

    def __init__(  # noqa: PLR0913 - one keyword for each thing that can be chosen
        self,
        kind: Kind,
        model: str,
        *,
        name: str = "",
        url: str | None = None,
        key: str = "",
        seconds: float = 300.0,
        price: Price | None = None,
        most_bytes: int = _MOST,
    ) -> None:
        """Take what it is called, where it is, and how long and large an answer may be."""
        self.name = name or f"{kind}:{model}"
        self._kind, self._model, self._url, self._key = kind, model, url, key
        self._seconds, self._most, self._set_price = seconds, most_bytes, price
        for part in ("models", "providers"):  # it takes seconds, which are not those of an answer
            import_module(f"pydantic_ai.{part}.{_HOMES.get(kind, kind)}")

    @property
    def price(self) -> Price | None:
        """What it costs: as it was set, or as the price list says."""
        return self._set_price or listed_price(self._kind, self._model)

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Ask the provider."""
        settings = self._settings(max_tokens)
        offered = [_tool(one.name, one.parameters, one.description) for one in tools]
        called = {tool_name(call) for message in messages for call in message.calls}
        if called and not offered and self._kind == "anthropic":  # which wants to know of them
            offered = [_tool(name, {"type": "object", "properties": {}}) for name in sorted(called)]
            settings["tool_choice"] = "none"
        parameters = ModelRequestParameters(function_tools=offered)
        return await self._answer(messages, parameters, settings, on_text)

    async def fill_in(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any],
        *,
        max_tokens: int | None = None,
    ) -> Reply:
        """Have the provider answer with JSON of a schema."""
        strict = None if self._kind == "anthropic" else False  # which has only one way to do it
        form = OutputObjectDefinition(json_schema=schema, name="answer", strict=strict)
        parameters = ModelRequestParameters(
            output_mode="native", output_object=form, allow_text_output=False
        )
        return await self._answer(messages, parameters, self._settings(max_tokens), None)

    def _settings(self, max_tokens: int | None) -> ModelSettings:
        cached = CacheConfig(messages=self._kind != "anthropic")  # where that is up to us
        settings = ModelSettings(max_retries=0, timeout=self._seconds, cache=cached)
        if max_tokens is not None:
            settings["max_tokens"] = max_tokens
        return settings

    async def _answer(
        self,
        messages: Sequence[Message],
        parameters: ModelRequestParameters,
        settings: ModelSettings,
        on_text: Callable[[str], object] | None,
    ) -> Reply:
        try:
            async with timeout(self._seconds):
                response = await self._asked(messages, parameters, settings, on_text)
            return self._reply(response)
        except Exception as error:  # noqa: BLE001 - whatever a provider raises, the model failed
            failure = self._failure(error)
        raise failure  # out here nothing hangs on to the request, which knows the key

    async def _asked(
        self,
        messages: Sequence[Message],
        parameters: ModelRequestParameters,
        settings: ModelSettings,
        on_text: Callable[[str], object] | None,
    ) -> m.ModelResponse:
        told = history(messages, marked=self._kind == "anthropic")
        alone = None if self._kind in ("anthropic", "openai") else self._key
        async with connection(self._seconds, self._most, alone) as client:
            model = self._bound(client)
            if on_text is None:
                return await direct.model_request(
                    model,
                    told,
                    model_settings=settings,
                    model_request_parameters=parameters,
                    instrument=False,
                )
            async with direct.model_request_stream(
                model,
                told,
                model_settings=settings,
                model_request_parameters=parameters,
                instrument=False,
            ) as stream:
                pieces = Pieces(self._key, on_text)
                async for event in stream:
                    if piece := _piece(event):
                        pieces.add(piece)
                pieces.end()
                response = stream.get()
        details = response.provider_details or {}
        if not (details.get("finish_reason") or details.get("refusal")):
            raise ModelBusy("model_unreachable", model=self.name, problem="cut off", usage=None)
        return response

    def _bound(self, client: httpx2.AsyncClient) -> Model:
        """Return the model as pydantic-ai knows it, on a connection."""
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
        return self._speaking_openai(url, key, client)

    def _speaking_openai(self, url: str | None, key: str, client: httpx2.AsyncClient) -> Model:
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

    def _reply(self, response: m.ModelResponse) -> Reply:
        """Return what was answered; what cannot be used has been paid for all the same."""
        usage = self._usage(response)
        try:
            self._require_whole(response)
            return self._parts(response, usage)
        except ModelFailed as error:
            error.details["usage"] = usage
            raise

    def _parts(self, response: m.ModelResponse, usage: Usage | None) -> Reply:
        """Go by the parts: what a provider calls the reason for its end says little."""
        said, calls, unread = [], [], 0
        for part in response.parts:
            if isinstance(part, m.TextPart):
                said.append(clean_text(part.content, self._key))
            elif isinstance(part, m.ToolCallPart):
                name = clean_text(part.tool_name, self._key)
                params = clean_params(part.args, self._key)
                if params is None:
                    unread += 1
                else:
                    calls.append(Call(name, params, part.tool_call_id))
        return Reply("".join(said), tuple(calls), usage, unread)

    def _require_whole(self, response: m.ModelResponse) -> None:
        """Refuse what was not answered, and calls that end before their end."""
        details = response.provider_details or {}
        if response.finish_reason == "content_filter":
            said = details.get("refusal") or response.text or details.get("finish_reason")
            problem = problem_words(said, self._key)
            raise ModelFailed("model_declined", model=self.name, problem=problem)
        if response.finish_reason == "length" and (response.tool_calls or not response.text):
            written = response.usage.output_tokens
            raise ModelFailed("model_cut", model=self.name, written=written)

    def _usage(self, response: m.ModelResponse) -> Usage | None:
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
        kept = used.cache_write_tokens
        cost = money(self._set_price, self._kind, self._model, usage, kept)
        return replace(usage, money=cost)

    def _failure(self, error: Exception) -> ModelFailed:
        """Return the error of ours for whatever went wrong, with no key in it.

        Without `usage` nothing was paid for it; None says that nobody counted.
        """
        if (own := _own(error)) is not None:
            return type(own)(own.text, **{"usage": None, **own.details, "model": self.name})
        if isinstance(error, TimeoutError | x.ModelTimeoutError | x.ModelRequestTimeout):
            return ModelBusy("model_timed_out", model=self.name, seconds=self._seconds, usage=None)
        if isinstance(error, x.ModelHTTPError):
            return self._refused(error)
        if isinstance(error, x.UserError):  # which is told before anything is sent
            problem = problem_words(error, self._key)
            return ModelFailed("model_refused", model=self.name, status=400, problem=problem)
        if isinstance(error, x.ModelConnectionError | httpx2.TransportError):
            problem = problem_words(_deepest(error), self._key)
            paid = {} if getattr(error, "phase", None) in _NOT_SENT else {"usage": None}
            return ModelBusy("model_unreachable", model=self.name, problem=problem, **paid)
        problem = problem_words(f"{type(error).__name__}: {error}", self._key)
        return ModelFailed("model_garbled", model=self.name, problem=problem, usage=None)

    def _refused(self, error: x.ModelHTTPError) -> ModelFailed:
        status = error.status_code
        if isinstance(error, x.ModelQuotaExceededError):
            return ModelFailed("model_quota", model=self.name, status=status)
        if status in _BUSY or status >= _SERVER:
            wait = error.retry_after
            return ModelBusy("model_busy", model=self.name, status=status, retry_after=wait)
        if status in _KEY:
            return ModelFailed("model_key_refused", model=self.name, status=status)
        if status == _GONE:
            return ModelFailed("model_not_there", model=self.name, status=status)
        problem = problem_words(error.body, self._key)
        return ModelFailed("model_refused", model=self.name, status=status, problem=problem)


def _tool(name: str, schema: dict[str, Any], description: str | None = None) -> ToolDefinition:
    return ToolDefinition(name=name, parameters_json_schema=schema, description=description)


def _piece(event: object) -> str:
    """Return the text that an event of a stream brings, if any."""
    if isinstance(event, m.PartStartEvent) and isinstance(event.part, m.TextPart):
        return event.part.content
    if isinstance(event, m.PartDeltaEvent) and isinstance(event.delta, m.TextPartDelta):
        return event.delta.content_delta
    return ""


def _deepest(error: BaseException) -> BaseException:
    """Return the error behind all others, which says most."""
    while (behind := error.__cause__ or error.__context__) is not None and str(behind):
        error = behind
    return error


def _own(error: BaseException | None) -> ModelFailed | None:
    """Return the error of ours that somebody has wrapped, if there is one."""
    while error is not None and not isinstance(error, ModelFailed):
        error = error.__cause__ or error.__context__
    return error
