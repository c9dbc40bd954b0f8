"""OpenTelemetry spans for model and tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.tracer import OUTCOME, span
from outlast.ports import effects as e

if TYPE_CHECKING:
    from outlast.application.tracer import SpanWriter


class Spans:
    """Wraps each attempt of `Think` or `Act` in a span."""

    def __init__(self, inner: e.Handler, model: str) -> None:
        self._inner, self._model = inner, model

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Open a span for `Think` and `Act`."""
        if isinstance(effect, e.Think):
            return await self._run_in_span("outlast.think", effect, model=self._model)
        if isinstance(effect, e.Act):
            return await self._run_in_span("outlast.act", effect, tool=effect.call.name)
        return await self._inner.handle(effect)

    async def _run_in_span(self, name: str, effect: e.Think | e.Act, **details: str) -> e.Reply:
        attributes: dict[str, str | int] = {
            f"outlast.{key}": value for key, value in details.items()
        }
        attributes |= {"outlast.attempt": effect.attempt, "outlast.task": effect.task or 0}
        with span(name, **attributes) as note:
            reply = await self._inner.handle(effect)
            _describe(reply, note)
            return reply


def _describe(reply: e.Reply, note: SpanWriter) -> None:
    if not isinstance(reply, e.Thought | e.Acted):
        return
    outcome = (reply.code or "failed") if reply.error else "done"
    note(OUTCOME, outcome, failed=bool(reply.error))
    if isinstance(reply, e.Thought) and reply.usage is not None:
        note("outlast.tokens.input", reply.usage.input)
        note("outlast.tokens.output", reply.usage.output)
