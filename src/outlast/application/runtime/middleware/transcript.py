"""Keep what was said between a loop, its model and its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins

from outlast.ports import effects as e

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.application.plan.plan import Plan
    from outlast.application.runtime.run import Desk
    from outlast.ports.model import Message
    from outlast.ports.transcript import Transcript

_WAITING: Final = 100  # entries, while there is no plan beside which they could be kept


class Transcribing:
    """Writes down requests and replies beside the plan; of a request, what is new in it."""

    def __init__(
        self, inner: e.Handler, desk: Desk, transcript_of: Callable[[Plan], Transcript | None]
    ) -> None:
        """Wrap a handler; `transcript_of` finds the transcript of a plan that is kept."""
        self._inner, self._desk, self._transcript_of = inner, desk, transcript_of
        self._shown: tuple[Message, ...] = ()
        self._waiting: list[dict[str, Any]] = []
        self._home: tuple[Plan, Transcript | None] | None = None

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Keep thoughts and acts; let the rest through."""
        if not isinstance(effect, e.Think | e.Act):
            return await self._inner.handle(effect)
        self._add(self._desk.now(), _asked(effect, self._shown))
        if isinstance(effect, e.Think):
            self._shown = effect.messages
        reply = await self._inner.handle(effect)
        if isinstance(reply, e.Thought | e.Acted):
            self._add(reply.now, _replied(effect.attempt, reply))
        return reply

    def _add(self, now: datetime, entry: dict[str, Any]) -> None:
        self._waiting = [*self._waiting, {"at": now.isoformat(), **entry}][-_WAITING:]
        if not self._desk.kept:
            return
        home = self._find()
        if home is not None:
            for waiting in self._waiting:
                home.add(waiting)
        self._waiting = []

    def _find(self) -> Transcript | None:
        plan = self._desk.plan
        if self._home is None or self._home[0] is not plan:
            self._home = plan, self._transcript_of(plan)
        return self._home[1]


def _asked(effect: e.Think | e.Act, shown: tuple[Message, ...]) -> dict[str, Any]:
    head = {"attempt": effect.attempt, "task": effect.task or 0}
    if isinstance(effect, e.Act):
        return {"kind": "act", **head, "call": to_builtins(effect.call)}
    new = [to_builtins(one) for one in effect.messages if one not in shown]
    tools = [tool.name for tool in effect.tools]
    return {"kind": "think", **head, "messages": new, "tools": tools}


def _replied(attempt: str, reply: e.Thought | e.Acted) -> dict[str, Any]:
    if isinstance(reply, e.Thought):
        said = {"text": reply.text, "calls": to_builtins(reply.calls)}
        said["usage"] = to_builtins(reply.usage)
        return {"kind": "thought", "attempt": attempt, **said, "failed": reply.failed}
    said = {"output": reply.output, "failed": reply.failed}
    return {"kind": "acted", "attempt": attempt, **said}
