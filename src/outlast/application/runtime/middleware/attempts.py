"""Record each attempt before it starts, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import to_builtins
from msgspec.structs import replace

from outlast.application.runtime.call_record import json_digest, record_call
from outlast.application.runtime.costs import effect_cost, planning_cost
from outlast.domain.changes import AttemptBegan
from outlast.domain.commands import BeginAttempt, EndAttempt
from outlast.domain.ledger import THINK
from outlast.errors import Refused, StoreError
from outlast.formats.redact.secrets import redact
from outlast.ports import effects as e

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.application.runtime.run import Run
    from outlast.domain.changes import Commit
    from outlast.domain.model import Attempt, Outcome
    from outlast.domain.state import PlanState
    from outlast.ports.tool import Settlement, Tool

_NOTE_CHARACTERS: Final = 200
_OUTCOMES: Final[dict[Settlement, Outcome]] = {"done": "done", "not_done": "lost"}


class Attempts:
    """Wraps execution in an attempt, and ends the attempts that are settled.

    An effect that dies half-way or is cancelled leaves its attempt open: its outcome is unknown,
    and the next run settles it.
    """

    def __init__(
        self,
        inner: e.Handler,
        run: Run,
        tools: Iterable[Tool] = (),
        is_plan_tool: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Wrap a handler; `is_plan_tool` tells the plan tools from the others."""
        self._inner, self._run, self._is_plan_tool = inner, run, is_plan_tool
        self._tools = {tool.name: tool for tool in tools}

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Record attempts around `Think` and `Act`, and the outcome of `Settle`."""
        if isinstance(effect, e.Think | e.Act):
            return await self._run_attempt(effect)
        reply = await self._inner.handle(effect)
        if isinstance(effect, e.Settle) and isinstance(reply, e.Settled):
            return self._end_settled(effect.attempt, reply)
        return reply

    async def _run_attempt(self, effect: e.Think | e.Act) -> e.Reply:
        run = self._run
        try:
            attempt = run.commit((self._begin_command(effect),), _attempt_id)
        except Refused as error:
            return self._refusal(effect, error)
        run.attempts_started += 1
        started = run.now()
        reply = await self._inner.handle(replace(effect, attempt=attempt))
        if not isinstance(reply, e.Thought | e.Acted):
            raise TypeError(reply)
        spent = effect_cost(effect, reply, (run.now() - started).total_seconds())
        planning = planning_cost(effect, reply, spent, self._is_plan_tool)
        note = redact(reply.error)[:_NOTE_CHARACTERS]
        outcome: Outcome = "failed" if reply.error else "done"
        command = EndAttempt(attempt, outcome, "", note, run.token, spent, planning)
        return self._end_attempt(command, reply)

    def _begin_command(self, effect: e.Think | e.Act) -> BeginAttempt:
        task, token, reserve = effect.task, self._run.token, effect.reserve
        if isinstance(effect, e.Act):
            call = effect.call
            line = record_call(call, self._tools.get(call.name))
            return BeginAttempt(task, "act", line, json_digest(call.params), token, reserve)
        digest = json_digest(to_builtins(effect.messages))
        line = f"{len(effect.messages)} messages"
        return BeginAttempt(task, THINK, line, digest, token, reserve)

    def _refusal(self, effect: e.Think | e.Act, error: Refused) -> e.Reply:
        kind = e.Thought if isinstance(effect, e.Think) else e.Acted
        now, plan = self._run.now(), self._run.view()
        return kind(now, plan, error=self._run.error_text(error), code=error.code)

    def _end_attempt(self, command: EndAttempt, reply: e.Thought | e.Acted) -> e.Reply:
        try:
            return replace(reply, plan=self._run.commit((command,), self._run.view_after))
        except Refused as error:  # settled by another party meanwhile: it does not count
            return replace(
                reply, plan=self._run.view(), error=self._run.error_text(error), code=error.code
            )
        except StoreError as error:  # the effect was executed all the same
            self._run.store_error = error
            return reply

    def _end_settled(self, attempt: Attempt, reply: e.Settled) -> e.Reply:
        if reply.settlement == "unknown":
            return reply
        run, outcome = self._run, _OUTCOMES[reply.settlement]
        command = EndAttempt(attempt.id, outcome, reply.by, "", run.token)
        try:
            plan = run.commit((command,), run.view_after)
        except Refused:  # settled by another party meanwhile
            plan = run.view()
        return replace(reply, plan=plan)


def _attempt_id(_state: PlanState, commit: Commit) -> str:
    return next(change.id for change in commit.changes if isinstance(change, AttemptBegan))
