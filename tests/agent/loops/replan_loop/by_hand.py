"""The replan loop played by hand: on a plan in memory, without a runtime."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from outlast.agent import effects as e
from outlast.agent.agent_spec import Replan
from outlast.agent.context.patch import describe_patch
from outlast.agent.effects import (
    Acted,
    Answered,
    Checked,
    Emitted,
    Outcome,
    PatchPreview,
    Recorded,
    Settled,
    Thought,
)
from outlast.agent.loops.endings import LoopEnd
from outlast.agent.loops.replan_loop.loop import replan_conversation, replan_loop
from outlast.agent.runtime.probes import replan_state
from outlast.context.chat_model import ToolSpec
from outlast.errors import InvalidStatus, OutlastError
from outlast.model.commands import (
    AnswerQuestion,
    BeginAttempt,
    Command,
    CreatePlan,
    EndAttempt,
    Pause,
)
from outlast.model.decide.replan import make_patch
from outlast.model.execute import execute
from outlast.model.model import PERSON
from outlast.model.replan_position import ReplanPosition
from outlast.model.state import PlanState
from outlast.plan.plan_view import plan_view
from outlast.redact.structs import redact_commands
from tests.model.strategies import BEGINNING

TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
TOOLS = tuple(ToolSpec(name, name, TEXT) for name in ("todo", "schedule", "internet_search"))
MOST_EFFECTS = 2_000


class Crashed(Exception):
    """The process died."""


class ByHand:
    """One task. `think` and `act` say what the model and the tools do, `after` sees each effect."""

    def __init__(self, think: Callable[[e.Think], Thought], act: Callable[[e.Act], Acted]) -> None:
        self.think, self.act = think, act
        self.after: Callable[[e.Effect], None] = lambda _effect: None
        self.settle: Callable[[], Settled] = lambda: Settled("not_done", "tool")
        self.check: Callable[[int], Checked] = lambda _task: Checked()
        self.refuse: Callable[[tuple[Command, ...]], bool] = lambda _commands: False
        self.crash_at = 0  # at which effect the process dies; 0 is never
        self.is_carried_out = False  # before it dies
        self.preview: Callable[[e.PreviewReplan], PatchPreview] = self._preview
        self.state = PlanState(BEGINNING)
        self.commit(CreatePlan("plan_x", "Goal", order="sequential"))

    @property
    def position(self) -> ReplanPosition:
        return self.state.ledger.replan

    def commit(self, *commands: Command) -> OutlastError | None:
        if self.refuse(commands):
            return InvalidStatus("no_open_question")
        try:
            execute(self.state, redact_commands(commands), BEGINNING)
        except OutlastError as error:
            return error
        return None

    def run(self, message: str | None = None, **options: Any) -> LoopEnd:
        """Run the loop to its end, and pause the plan as the end does.

        With a message do what it asks for.
        """
        options = {"tools": TOOLS, "in_chat": True, **options}
        how = Replan(moment="now", **options)
        loop: e.Loop[Any] = (
            replan_loop(how) if message is None else replan_conversation(message, how)
        )
        reply: Any = None
        view = plan_view(self.state, "agent")
        try:
            for number in range(1, MOST_EFFECTS):
                effect = loop.send(reply)
                if number == self.crash_at and not self.is_carried_out:
                    raise Crashed
                outcome = self.carry_out(effect, dies=number == self.crash_at)
                self.after(effect)
                if number == self.crash_at:
                    raise Crashed
                if not isinstance(effect, e.Emit):
                    view = plan_view(self.state, "agent")
                reply = e.Reply(outcome, view, BEGINNING)
        except LoopEnd as raised:
            end = raised
        except StopIteration as stop:
            end = stop.value
        else:
            pytest.fail("it does not end")
        if message is not None:
            return LoopEnd(end.why, end.text)
        if end.why not in ("answered", "finished"):
            self.commit(Pause("waiting"))
        return end

    def carry_out(  # noqa: PLR0911 - one for each effect
        self, effect: e.Effect, *, dies: bool
    ) -> Outcome:
        match effect:
            case e.ReadReplan():
                return replan_state(self.state)
            case e.Record(commands):
                error = self.commit(*commands) if commands else None
                return Recorded(error.code, str(error)) if error else Recorded()
            case e.Think() | e.Act():
                return self._attempt(effect, dies=dies)
            case e.Settle(attempt, commands):
                return self._settle(attempt.id, commands)
            case e.PreviewReplan():
                return self.preview(effect)
            case e.Ask():
                return Answered()
            case e.RunChecks(task):
                return self.check(task)
        return Emitted()

    def _attempt(self, effect: e.Think | e.Act, *, dies: bool) -> Outcome:
        begin = BeginAttempt(effect.task, effect.kind, "todo {}")
        error = self.commit(*effect.commands, *effect.on_start, begin)
        if error is not None:
            return effect.failure(str(error), error.code)
        attempt = next(reversed(self.state.ledger.attempts))
        outcome = self.think(effect) if isinstance(effect, e.Think) else self.act(effect)
        if not dies:
            assert self.commit(EndAttempt(attempt, "done")) is None
        return outcome

    def _settle(self, attempt: str, commands: dict[Any, tuple[Command, ...]]) -> Settled:
        is_thought = self.state.ledger.attempts[attempt].kind == "think"
        settled = Settled("not_done") if is_thought else self.settle()
        end = EndAttempt(attempt, "done" if settled.settlement == "done" else "lost")
        ends = (end, *commands.get(settled.settlement, ()))
        assert self.commit(*ends) is None
        return settled

    def _preview(self, effect: e.PreviewReplan) -> PatchPreview:
        try:
            patch = make_patch(self.state, effect.tasks, also=effect.task, only=effect.only)
            return PatchPreview(describe_patch(patch, "en"))
        except OutlastError as error:
            return PatchPreview(error=str(error))


class Recording:
    """A conversation that is played by hand; remembers each effect and the count after it."""

    def __init__(self, *replies: object) -> None:
        self.replies = [*replies]
        self.hand = ByHand(self._think, self._act)
        self.hand.after = self._after
        self.effects: list[e.Effect] = []
        self.record: list[tuple[str, int]] = []

    def _think(self, _effect: e.Think) -> Thought:
        reply = self.replies.pop(0)
        return Thought(reply if isinstance(reply, str) else json.dumps(reply))

    def _act(self, effect: e.Act) -> Acted:
        failed = "fail" in effect.call.params["input"]
        return Acted(error="no") if failed else Acted("fine")

    def _after(self, effect: e.Effect) -> None:
        self.effects.append(effect)
        self.record.append((type(effect).__name__.lower(), self.hand.position.steps))

    def run(self, **options: Any) -> LoopEnd:
        return self.hand.run(**options)

    def answer(self, words: str) -> None:
        assert self.hand.commit(AnswerQuestion(words, PERSON)) is None
        self.record.append(("answer", self.hand.position.steps))

    @property
    def counts(self) -> list[int]:
        """The count after each attempt."""
        return [steps for what, steps in self.record if what in ("think", "act")]
