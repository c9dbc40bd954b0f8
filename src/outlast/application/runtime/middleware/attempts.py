"""Write down what is tried before it is tried, and what came of it once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import to_builtins
from msgspec.structs import replace

from outlast.application.runtime.call_record import digest_of, traced
from outlast.application.runtime.costs import cost_of, of_planning
from outlast.domain.changes import AttemptBegan
from outlast.domain.commands import BeginAttempt, EndAttempt
from outlast.domain.ledger import THINK
from outlast.errors import Refused, StoreError
from outlast.formats.redact.engine import redact
from outlast.ports import effects as e

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.application.runtime.run import Desk
    from outlast.domain.changes import Commit
    from outlast.domain.model import Attempt, Outcome
    from outlast.domain.state import PlanState
    from outlast.ports.tool import Settlement, Tool

_NOTE_CHARACTERS: Final = 200


class Attempts:
    """Wraps what runs in an attempt, and ends the attempts that are settled.

    An effect that dies half-way, or is cancelled, leaves its attempt open: nobody knows what came
    of it, and the next loop settles it.
    """

    def __init__(
        self,
        inner: e.Handler,
        desk: Desk,
        tools: Iterable[Tool] = (),
        is_planning: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Wrap a handler; `is_planning` tells the tools that change the plan from the others."""
        self._inner, self._desk, self._is_planning = inner, desk, is_planning
        self._tools = {tool.name: tool for tool in tools}

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Keep the books on thinking, acting and settling; let the rest through."""
        if isinstance(effect, e.Think | e.Act):
            return await self._try(effect)
        reply = await self._inner.handle(effect)
        if isinstance(effect, e.Settle) and isinstance(reply, e.Settled):
            return self._settled(effect.attempt, reply)
        return reply

    async def _try(self, effect: e.Think | e.Act) -> e.Reply:
        desk = self._desk
        try:
            attempt = desk.commit((self._begin(effect),), _begun)
        except Refused as error:
            return self._not_begun(effect, error)
        desk.begun += 1
        begun = desk.now()
        reply = await self._inner.handle(replace(effect, attempt=attempt))
        if not isinstance(reply, e.Thought | e.Acted):
            raise TypeError(reply)
        spent = cost_of(effect, reply, (desk.now() - begun).total_seconds())
        planning = of_planning(effect, reply, spent, self._is_planning)
        note = redact(reply.failed)[:_NOTE_CHARACTERS]
        outcome: Outcome = "failed" if reply.failed else "done"
        ended = EndAttempt(attempt, outcome, "", note, desk.token, spent, planning)
        return self._tried(ended, reply)

    def _begin(self, effect: e.Think | e.Act) -> BeginAttempt:
        task, token, reserve = effect.task, self._desk.token, effect.reserve
        if isinstance(effect, e.Act):
            call = effect.call
            what = traced(call, self._tools.get(call.name))
            return BeginAttempt(task, "act", what, digest_of(call.params), token, reserve)
        digest = digest_of(to_builtins(effect.messages))
        what = f"{len(effect.messages)} messages"
        return BeginAttempt(task, THINK, what, digest, token, reserve)

    def _not_begun(self, effect: e.Think | e.Act, error: Refused) -> e.Reply:
        kind = e.Thought if isinstance(effect, e.Think) else e.Acted
        now, plan = self._desk.now(), self._desk.look()
        return kind(now, plan, failed=self._desk.words(error), code=error.code)

    def _tried(self, ended: EndAttempt, reply: e.Thought | e.Acted) -> e.Reply:
        try:
            return replace(reply, plan=self._desk.commit((ended,), self._desk.view_after))
        except Refused as error:  # somebody has settled it meanwhile, so it does not count
            return replace(
                reply, plan=self._desk.look(), failed=self._desk.words(error), code=error.code
            )
        except StoreError as error:  # it has been done all the same
            self._desk.trouble = error
            return reply

    def _settled(self, attempt: Attempt, reply: e.Settled) -> e.Reply:
        if reply.found == "unknown":
            return reply
        desk, outcome = self._desk, _OUTCOMES[reply.found]
        ended = EndAttempt(attempt.id, outcome, reply.by, "", desk.token)
        try:
            plan = desk.commit((ended,), desk.view_after)
        except Refused:  # somebody else has settled it
            plan = desk.look()
        return replace(reply, plan=plan)


_OUTCOMES: Final[dict[Settlement, Outcome]] = {"done": "done", "not_done": "lost"}


def _begun(_state: PlanState, commit: Commit) -> str:
    return next(change.id for change in commit.changes if isinstance(change, AttemptBegan))
