"""Work on a task: where it stands, what is recorded, and what the model is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.agent import effects as e
from outlast.agent.loops.endings import LoopEnd, failure_end, finished_end, paused_end
from outlast.agent.loops.replan_loop.progress import ProgressReporter, limit_text, unavailable_text
from outlast.context.chat_model import Message
from outlast.context.plan_view import PlanView
from outlast.documents.contracts.contract import Check, parse_contract
from outlast.errors import OutOfBudget, PlanNotActive
from outlast.language import text, visible
from outlast.model.commands import Command, MoveReplan, TakeInterjections
from outlast.model.replan_position import START

if TYPE_CHECKING:
    from outlast.agent.agent_spec import Replan

REPEATS: Final = 2  # of a request whose answer cannot be used
MOST_FAILED_ROUNDS: Final = 3
_NOTHING: Final = e.ReplanState("", START)
_NO_PLAN: Final = PlanView("", "idle", 0, 0, 0, 0)


class Request(Struct, frozen=True):
    """What the model is asked for, and what is done with its answer.

    `accept` returns why the plan refuses an answer, or nothing. A request that `counts` is a step.
    """

    contract: Any
    accept: Callable[[Any], e.Loop[str]]
    check: Check[Any] | None = None
    counts: bool = True


class Work:
    """The work of one run; `position` is what was recorded last, `state` what was read last."""

    def __init__(self, options: Replan) -> None:
        self.options, self.language = options, options.language
        self.progress = ProgressReporter(options.language)
        self.position, self.state, self.plan = START, _NOTHING, _NO_PLAN
        self._asked = _NOTHING
        self.has_begun = False

    def refresh(self) -> e.Loop[None]:
        """Read where the work stands."""
        reply = yield from e.ReadReplan()
        self.plan, self.state = reply.plan, reply.outcome
        self.position = reply.outcome.position

    def refresh_or_end(self) -> e.Loop[None]:
        """Read the position; end the run if the plan was ended or paused meanwhile."""
        yield from self.refresh()
        if self.plan.has_ended:
            raise finished_end(self.plan, self.language)
        if self.plan.status == "paused" and self.has_begun:
            raise paused_end(self.plan, self.language)

    def ask(
        self, messages: tuple[Message, ...], request: Request, task: int | None = None
    ) -> e.Loop[None]:
        """Ask the model until the plan accepts its answer; if none can be used, a round failed.

        A request that has become outdated is not repeated: the next one has what is new.
        """
        self._asked = self.state
        for number in range(REPEATS + 1):
            if number:
                yield from self.refresh_or_end()
                if self.is_outdated:
                    return
            on_start: tuple[Command, ...] = ()
            if request.counts:
                yield from self.require_step()
                self.position = self.position.begin_step()
                on_start = (MoveReplan(self.position),)
            read = self._acknowledge_messages()
            reply = yield from e.Think(
                messages, (), task=task, commands=read, on_start=on_start, is_silent=True
            )
            if reply.outcome.error:
                self.check_stopped(reply.outcome, reply.plan)
                if (yield from self._handle_refused_start(reply.outcome.error, task)):
                    return
                failed = text("loop_model_failed", self.language, problem=reply.outcome.error)
                yield from self.progress.show_note(failed)
                break
            repair = yield from self._use(reply.outcome.text, request)
            if not repair:
                return
            yield from self.progress.show_note(text("answer_unusable", self.language))
            answer = Message("assistant", reply.outcome.text)
            messages = (*messages, answer, Message("user", repair))
        yield from self._fail_round()

    # What has come since the request: `state` has to be read before

    @property
    def listed_items(self) -> tuple[int, ...]:
        """The items that the request listed as open."""
        return self._asked.position.open_items

    @property
    def is_answered(self) -> bool:
        """Whether a question was answered that the request does not know of."""
        return len(self.state.clarifications) > len(self._asked.clarifications)

    @property
    def is_outdated(self) -> bool:
        """Whether there is an answer, or an open item, that the request does not know of."""
        return self.is_answered or not {*self.position.open_items} <= {*self.listed_items}

    def _use(self, answer: str, request: Request) -> e.Loop[str]:
        """Do what follows from an answer; return what to ask for instead if it cannot be used."""
        parsed = parse_contract(answer, request.contract, request.check)
        if parsed.value is None:
            return parsed.repair_request(self.language)
        refusal = yield from request.accept(parsed.value)
        if not refusal:
            return ""
        return text("contract_repair", self.language, problems=f"- {visible(refusal)}")

    def _handle_refused_start(self, error: str, task: int | None) -> e.Loop[bool]:
        """Return whether a request did not begin since its item is gone; end if it cannot begin."""
        steps = self.position.steps
        yield from self.refresh_or_end()
        if self.position.steps == steps:
            return False
        if self.position.item == task or task is None:
            raise LoopEnd("paused", error)
        return True

    def _acknowledge_messages(self) -> tuple[Command, ...]:
        """Return the command that marks what people said as read: the request has it."""
        new = self.plan.new_messages
        return (TakeInterjections(new[-1].id),) if new else ()

    def require_step(self) -> e.Loop[None]:
        """End the run if no step is left (R3.04)."""
        if self.position.is_at_limit:
            yield from self.progress.show_counts(self.state, self.position)
            raise LoopEnd("limit", limit_text(self.state, self.options))

    def _fail_round(self) -> e.Loop[None]:
        """Count a round that failed; after three in a row give up (R3.06)."""
        position = self.position.fail_round()
        yield from self.record(MoveReplan(position))
        if position.failed_rounds >= MOST_FAILED_ROUNDS:
            if position.is_planned:
                yield from self.progress.show_counts(self.state, position)
            raise LoopEnd("unavailable", unavailable_text(self.options))

    def check_stopped(self, outcome: e.Thought | e.Acted, plan: PlanView) -> None:
        """End the run if the plan was stopped, or the budget is used up."""
        if outcome.code in (OutOfBudget.code, PlanNotActive.code):
            raise failure_end(outcome, plan, self.language)

    def commit(self, *commands: Command, reason: str = "") -> e.Loop[str]:
        """Commit commands together; return why the plan refuses them."""
        recorded = yield from e.record(*commands, reason=reason)
        if recorded.outcome.code in (OutOfBudget.code, PlanNotActive.code):
            refused = e.Acted(error=recorded.outcome.error, code=recorded.outcome.code)
            raise failure_end(refused, recorded.plan, self.language)
        return recorded.outcome.error

    def record(self, *commands: Command, reason: str = "") -> e.Loop[None]:
        """Commit commands that the plan cannot refuse unless it was changed meanwhile."""
        error = yield from self.commit(*commands, reason=reason)
        if error:
            raise LoopEnd("paused", error)
