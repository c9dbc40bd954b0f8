"""A loop played by hand: its effects change a plan in memory, and a test gives its thoughts."""

from collections.abc import Callable, Iterable
from typing import Any

from outlast import Plan
from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.agent.effects import (
    Acted,
    Advised,
    Answered,
    BriefText,
    Emitted,
    Exchange,
    FoundTasks,
    Outcome,
    Recorded,
    Settled,
    Thought,
)
from outlast.agent.events import Event, Notified, Said, Stopped
from outlast.agent.loops.chat import converse
from outlast.agent.loops.session import History
from outlast.agent.runtime.probes import describe_edits
from outlast.context.brief import render_brief
from outlast.context.chat_model import Call, Message, ToolSpec
from outlast.context.plan_view import PlanView
from outlast.context.tool import Settlement
from outlast.errors import Refused
from outlast.language import Language
from outlast.model.budget import NOTHING
from outlast.model.commands import BeginAttempt, Command, CreatePlan, EndAttempt
from outlast.model.execute import return_commit
from outlast.model.markers import find_named_task
from outlast.model.replies.results import words_about
from outlast.model.state import PlanState
from outlast.plan.core import PlanCore
from outlast.plan.plan_view import plan_view
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.testing import FixedClock
from tests.making import settle

GOAL = "Sort the reports"
POKE = ToolSpec("poke", "Poke it.", {"type": "object"})
PLAN_TOOLS = tuple(
    ToolSpec(name, "", {})
    for name in ("complete_task", "plan_read", "ask_user", "todo_write", "propose_goal")
)
Thinking = Callable[[e.Think], Thought | tuple[Any, ...] | str]


def new_plan(
    *names: str, goal: str = GOAL, order: Any = "sequential", clock: FixedClock | None = None
) -> Plan:
    """Return a plan in memory that a loop works on as `agent`."""
    clock = clock or FixedClock()
    store = MemoryStore(clock())
    created = CreatePlan("plan_test", goal, order=order, begun=True)
    store.commit(Request((created,), "ann", clock()), return_commit)
    plan = Plan(PlanCore(store, clock, lambda: "plan_next", "agent"))
    for name in names:
        plan.add(name)
    return plan


class Play:
    """One run, and what was observed of it.

    Without a plan it works on a scratch plan until a plan is created. `think` is called for each
    thought: it returns a text, a text with calls, or a whole reply.
    """

    def __init__(  # noqa: PLR0913 - what a test can choose
        self,
        think: Thinking | Iterable[Any],
        plan: Plan | None = None,
        *,
        language: Language = "en",
        options: ToolLoop | None = None,
        advise: Callable[[e.Consult, PlanView], dict[str, Any]] | None = None,
        answers: Iterable[str | None] = (),
        settled: Settlement = "unknown",
        act: Callable[[e.ToolCall], dict[str, Any]] | None = None,
    ) -> None:
        self._thoughts = None if callable(think) else iter(think)
        self._think = think if callable(think) else None
        self.plan, self.has_plan = plan or new_plan(goal="scratch"), plan is not None
        self.clock = FixedClock()
        self.options, self.language = options or ToolLoop(), language
        self.effects: list[e.Effect] = []
        self.events: list[Event] = []
        self._advise, self._act = advise, act
        self._answers, self._settled = iter(answers), settled
        self.creation_error = ""
        self.history = History()
        self.exchange: tuple[Message, ...] = ()

    def say(self, message: str, *, interrupted: bool = False, resume: bool = False) -> Stopped:
        """Run the loop on a message to its end; the next message continues the conversation."""
        loop = converse(
            message,
            tools=(POKE,),
            plan_tools=PLAN_TOOLS,
            options=self.options,
            language=self.language,
            history=self.history,
            interrupted=interrupted,
            resume=resume,
        )
        return self.go_on(loop, next(loop))

    def go_on(self, loop: e.Loop[Stopped], effect: e.Effect) -> Stopped:
        """Run a loop to its end from its next effect."""
        while True:
            try:
                effect = loop.send(self.reply(effect))
            except StopIteration as end:
                stopped: Stopped = end.value
                return stopped

    def reply(self, effect: e.Effect) -> e.Reply[Any]:
        """Execute an effect."""
        self.effects.append(effect)
        outcome = self._outcome(effect)
        return e.Reply(outcome, self.view(), self.clock())

    def _outcome(self, effect: e.Effect) -> Outcome:  # noqa: C901, PLR0911, PLR0912 - one for each effect
        match effect:
            case e.Think():
                return self._thought(effect)
            case e.Act() | e.PlanTool():
                return self._acted(effect)
            case e.Record():
                return self._recorded(effect.commands, effect.author)
            case e.CreatePlan():
                return self._created(effect)
            case e.Consult():
                return Advised(**(self._advise(effect, self.view()) if self._advise else {}))
            case e.Ask():
                return Answered(next(self._answers, None))
            case e.Settle():
                if self._settled != "unknown":
                    settle(
                        self.plan, effect.attempt.id, "done" if self._settled == "done" else "lost"
                    )
                return Settled(self._settled, "tool")
            case e.FindTasks():
                tasks = self.plan.tasks()
                return FoundTasks(tuple(find_named_task(text, tasks) for text in effect.texts))
            case e.ReadBrief():
                return self._brief(effect)
            case e.ReadExchange():
                return Exchange(self.exchange)
            case e.ReadEdits():
                store = self.plan.core.store
                return describe_edits(
                    store, effect.since, self.language, with_goal=effect.with_goal
                )
            case e.Emit():
                self.events.append(effect.event)
                return Emitted()
            case _:
                raise AssertionError(effect)

    def _brief(self, effect: e.ReadBrief) -> BriefText:
        plan = self.view()

        def render(state: PlanState) -> str:
            return render_brief(
                state,
                plan,
                self.language,
                limit=effect.limit,
                settled=effect.settled,
                unread=False,
                without=effect.without,
            )

        return BriefText(self.plan.core.read(render))

    def view(self) -> PlanView:
        return self.plan.core.read(
            lambda state: plan_view(state, "agent", is_scratch=not self.has_plan)
        )

    def _thought(self, effect: e.Think) -> Thought:
        self._recorded(effect.commands)
        given: Any = self._think(effect) if self._think else next(self._thoughts or iter(()))
        thought = self._as_thought(given)
        self._keep_words(effect, thought)
        return thought

    def _keep_words(self, effect: e.Think, thought: Thought) -> None:
        """Record what a reply says about its task, as the runtime does."""
        view = self.view()
        if effect.keeps_words and effect.task and view.current and not thought.error:
            others = [task.name for task in view.tasks if task.id != effect.task]
            said = words_about(thought.text, view.current.name, others)
            if said:
                begun = self.plan.core.read(lambda state: state.ledger.attempts_begun)
                attempt = f"{effect.task}#{begun + 1}"
                begin = BeginAttempt(effect.task, "think", "a thought")
                self._recorded((begin, EndAttempt(attempt, "done", said=said, spent=NOTHING)))

    @staticmethod
    def _as_thought(given: Any) -> Thought:
        if isinstance(given, str):
            return Thought(given)
        if isinstance(given, dict):
            return Thought(**given)
        text, *calls = given
        return Thought(text, tuple(calls))

    def _acted(self, effect: e.ToolCall) -> Acted:
        call = effect.call
        if call.name == "complete_task":
            self.plan.complete(call.params["task"], call.params.get("result"))
        return Acted(**(self._act(effect) if self._act else {"output": f"{call.name} ran"}))

    def _recorded(self, commands: tuple[Command, ...], author: str = "") -> Recorded:
        if not commands:
            return Recorded()
        try:
            plan = self.plan.acting_as(author) if author else self.plan
            plan.core.commit(commands, return_commit)
        except Refused as error:
            return Recorded(error.code, str(error))
        return Recorded()

    def _created(self, effect: e.CreatePlan) -> Recorded:
        if self.creation_error:
            return Recorded("STORE", self.creation_error)
        self.plan, self.has_plan = new_plan(goal=effect.goal), True
        return Recorded()

    # What was seen

    @property
    def thinks(self) -> list[e.Think]:
        return [effect for effect in self.effects if isinstance(effect, e.Think)]

    def shown(self, think: int = -1) -> str:
        """Return all texts of a request."""
        return "\n".join(message.text for message in self.messages(think))

    def messages(self, think: int = -1) -> tuple[Message, ...]:
        return self.thinks[think].messages

    def acts(self) -> list[str]:
        return [effect.call.name for effect in self.effects if isinstance(effect, e.ToolCall)]

    def said(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Said)]

    def notices(self, kind: str) -> list[str]:
        found = (event for event in self.events if isinstance(event, Notified))
        return [event.text for event in found if event.kind == kind]

    def statuses(self) -> list[str]:
        return [task.status for task in self.plan.tasks()]


def poke(number: int = 1) -> Call:
    return Call("poke", {"n": number}, f"c{number}")


def done(task: int, result: str | None = "ok") -> Call:
    return Call("complete_task", {"task": task, "result": result}, f"d{task}")


def begin_attempt(plan: Plan, what: str = 'poke {"where":"here"}', kind: str = "act") -> None:
    plan.core.commit((BeginAttempt(None, kind, what),), return_commit)
