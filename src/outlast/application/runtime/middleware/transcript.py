"""Write the transcript of model and tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins

from outlast.ports import effects as e

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.application.plan.plan import Plan
    from outlast.application.runtime.run import Run
    from outlast.ports.model import Message
    from outlast.ports.transcript import Transcript

_MAX_PENDING: Final = 100  # entries, while there is no stored plan to write them beside


class TranscriptMiddleware:
    """Writes requests and replies beside the plan; of a request only the new messages."""

    def __init__(
        self, inner: e.Handler, run: Run, transcript_of: Callable[[Plan], Transcript | None]
    ) -> None:
        """Wrap a handler; `transcript_of` returns the transcript of a stored plan."""
        self._inner, self._run, self._transcript_of = inner, run, transcript_of
        self._last_messages: tuple[Message, ...] = ()
        self._pending: list[dict[str, Any]] = []
        self._cached: tuple[Plan, Transcript | None] | None = None

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Write `Think` and `Act` with their replies."""
        if not isinstance(effect, e.Think | e.Act):
            return await self._inner.handle(effect)
        self._write(self._run.now(), _request_entry(effect, self._last_messages))
        if isinstance(effect, e.Think):
            self._last_messages = effect.messages
        reply = await self._inner.handle(effect)
        if isinstance(reply, e.Thought | e.Acted):
            self._write(reply.now, _reply_entry(effect.attempt, reply))
        return reply

    def _write(self, now: datetime, entry: dict[str, Any]) -> None:
        self._pending = [*self._pending, {"at": now.isoformat(), **entry}][-_MAX_PENDING:]
        if self._run.is_scratch:
            return
        transcript = self._transcript()
        if transcript is not None:
            for pending in self._pending:
                transcript.add(pending)
        self._pending = []

    def _transcript(self) -> Transcript | None:
        plan = self._run.plan
        if self._cached is None or self._cached[0] is not plan:
            self._cached = plan, self._transcript_of(plan)
        return self._cached[1]


def _request_entry(effect: e.Think | e.Act, earlier: tuple[Message, ...]) -> dict[str, Any]:
    head = {"attempt": effect.attempt, "task": effect.task or 0}
    if isinstance(effect, e.Act):
        return {"kind": "act", **head, "call": to_builtins(effect.call)}
    new = [to_builtins(message) for message in effect.messages if message not in earlier]
    tools = [tool.name for tool in effect.tools]
    return {"kind": "think", **head, "messages": new, "tools": tools}


def _reply_entry(attempt: str, reply: e.Thought | e.Acted) -> dict[str, Any]:
    if isinstance(reply, e.Thought):
        fields = {"text": reply.text, "calls": to_builtins(reply.calls)}
        fields["usage"] = to_builtins(reply.usage)
        return {"kind": "thought", "attempt": attempt, **fields, "failed": reply.error}
    fields = {"output": reply.output, "failed": reply.error}
    return {"kind": "acted", "attempt": attempt, **fields}
