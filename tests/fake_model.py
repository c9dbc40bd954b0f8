"""The fake model of the tests: it records what it is asked, and a test chooses its replies."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, NamedTuple

from outlast.context.chat_model import Message, Price, Reply, ToolSpec
from outlast.testing import ScriptedModel, Turn


class ModelRequest(NamedTuple):
    """One request to a model."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    on_text: Callable[[str], object] | None = None
    schema: dict[str, Any] | None = None


class FakeModel:
    """Replies from a list or a script; override `reply` for anything else.

    An exception among the `replies` is raised. Any other value is returned, even one that is no
    reply. `on_request` is called, and awaited, before each reply.
    """

    def __init__(
        self,
        replies: Iterable[Any] = (),
        *,
        turns: Sequence[Turn] = (),
        name: str = "fake",
        price: Price | None = None,
        on_request: Callable[[ModelRequest], Awaitable[object] | object] = lambda _: None,
    ) -> None:
        self.name, self.price, self.on_request = name, price, on_request
        self.requests: list[ModelRequest] = []
        self._replies, self._script = iter(replies), ScriptedModel(turns, price=price)

    @property
    def last_messages(self) -> tuple[Message, ...]:
        """The messages of the last request."""
        return self.requests[-1].messages if self.requests else ()

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        return await self._answer(ModelRequest(tuple(messages), tuple(tools), max_tokens, on_text))

    async def think_structured(
        self, messages: Sequence[Message], schema: dict[str, Any], *, max_tokens: int | None = None
    ) -> Reply:
        return await self._answer(
            ModelRequest(tuple(messages), max_tokens=max_tokens, schema=schema)
        )

    async def _answer(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        waiting = self.on_request(request)
        if isinstance(waiting, Awaitable):
            await waiting
        return await self.reply(request)

    async def reply(self, request: ModelRequest) -> Reply:
        if self._script.turns:
            return await self.play(request)
        reply: Any = next(self._replies)
        if isinstance(reply, Exception):
            raise reply
        result: Reply = reply
        return result

    async def play(self, request: ModelRequest) -> Reply:
        """Return the reply of the script."""
        return await self._script.think(
            request.messages, request.tools, max_tokens=request.max_tokens, on_text=request.on_text
        )
