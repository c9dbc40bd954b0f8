"""Show thoughts and tools as spans of OpenTelemetry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.tracer import OUTCOME, span
from outlast.ports import effects as e

if TYPE_CHECKING:
    from outlast.application.tracer import Note


class Spans:
    """Wraps each try of a thought or a tool in a span."""

    def __init__(self, inner: e.Handler, model: str) -> None:
        """Wrap a handler; `model` is the name of the model."""
        self._inner, self._model = inner, model

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Make spans for thinking and acting; let the rest through."""
        if isinstance(effect, e.Think):
            return await self._within("outlast.think", effect, model=self._model)
        if isinstance(effect, e.Act):
            return await self._within("outlast.act", effect, tool=effect.call.name)
        return await self._inner.handle(effect)

    async def _within(self, name: str, effect: e.Think | e.Act, **about: str) -> e.Reply:
        known: dict[str, str | int] = {f"outlast.{key}": value for key, value in about.items()}
        known |= {"outlast.attempt": effect.attempt, "outlast.task": effect.task or 0}
        with span(name, **known) as note:
            reply = await self._inner.handle(effect)
            _describe(reply, note)
            return reply


def _describe(reply: e.Reply, note: Note) -> None:
    if not isinstance(reply, e.Thought | e.Acted):
        return
    outcome = (reply.code or "failed") if reply.failed else "done"
    note(OUTCOME, outcome, failed=bool(reply.failed))
    if isinstance(reply, e.Thought) and reply.usage is not None:
        note("outlast.tokens.input", reply.usage.input)
        note("outlast.tokens.output", reply.usage.output)
