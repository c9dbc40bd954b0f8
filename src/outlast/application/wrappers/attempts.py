"""Write down what is tried before it is tried, and what came of it once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import to_builtins
from msgspec.structs import replace

from outlast.application.wrappers.call_record import digest_of, kept
from outlast.application.wrappers.carry_out import words
from outlast.domain.changes import AttemptBegan
from outlast.domain.commands import BeginAttempt, EndAttempt
from outlast.domain.ledger import THINK
from outlast.errors import Refused
from outlast.formats.redact import redact
from outlast.ports import effects as e

if TYPE_CHECKING:
    from outlast.application.wrappers.desk import Desk
    from outlast.domain.changes import Commit
    from outlast.domain.model import Outcome, SettledBy
    from outlast.domain.state import PlanState
    from outlast.ports.tool import Settlement

_NOTE_CHARACTERS: Final = 200


class Attempts:
    """Wraps what runs in an attempt, and ends the attempts that are settled.

    An effect that dies half-way, or is cancelled, leaves its attempt open: nobody knows what came
    of it, and the next loop settles it.
    """

    def __init__(self, inner: e.Handler, desk: Desk) -> None:
        """Wrap a handler."""
        self._inner, self._desk = inner, desk

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Keep the books on thinking, acting and settling; let the rest through."""
        if isinstance(effect, e.Think | e.Act):
            return await self._try(effect)
        reply = await self._inner.handle(effect)
        if isinstance(effect, e.Settle) and isinstance(reply, e.Settled):
            return self._settled(effect.attempt.id, reply)
        return reply

    async def _try(self, effect: e.Think | e.Act) -> e.Reply:
        try:
            attempt = self._desk.commit((_begin(effect, self._desk.token),), _begun)
        except Refused as error:
            return self._not_begun(effect, error)
        reply = await self._inner.handle(replace(effect, attempt=attempt))
        if not isinstance(reply, e.Thought | e.Acted):
            raise TypeError(reply)
        return self._tried(attempt, reply)

    def _not_begun(self, effect: e.Think | e.Act, error: Refused) -> e.Reply:
        kind = e.Thought if isinstance(effect, e.Think) else e.Acted
        return kind(self._desk.now(), self._desk.look(), failed=words(error))

    def _tried(self, attempt: str, reply: e.Thought | e.Acted) -> e.Reply:
        note = redact(reply.failed)[:_NOTE_CHARACTERS]
        try:
            plan = self._end(attempt, "failed" if reply.failed else "done", note=note)
        except Refused as error:  # somebody has settled it meanwhile, so it does not count
            return replace(reply, plan=self._desk.look(), failed=words(error))
        return replace(reply, plan=plan)

    def _settled(self, attempt: str, reply: e.Settled) -> e.Reply:
        if reply.found == "unknown":
            return reply
        try:
            plan = self._end(attempt, _OUTCOMES[reply.found], by=reply.by)
        except Refused:  # somebody else has settled it
            plan = self._desk.look()
        return replace(reply, plan=plan)

    def _end(
        self, attempt: str, outcome: Outcome, *, by: SettledBy = "", note: str = ""
    ) -> e.PlanView:
        ended = EndAttempt(attempt, outcome, by, note, self._desk.token)
        return self._desk.commit((ended,), self._desk.view_after)


_OUTCOMES: Final[dict[Settlement, Outcome]] = {"done": "done", "not_done": "lost"}


def _begin(effect: e.Think | e.Act, token: int) -> BeginAttempt:
    if isinstance(effect, e.Act):
        digest = digest_of(effect.call.params)
        return BeginAttempt(effect.task, "act", kept(effect.call), digest, token)
    digest = digest_of(to_builtins(effect.messages))
    return BeginAttempt(effect.task, THINK, f"{len(effect.messages)} messages", digest, token)


def _begun(_state: PlanState, commit: Commit) -> str:
    return next(change.id for change in commit.changes if isinstance(change, AttemptBegan))
