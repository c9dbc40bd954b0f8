"""A task that the replan loop works on in a real runtime, with a scripted model."""

import asyncio
from collections.abc import Callable
from typing import Any

from outlast import Plan
from outlast.agent import effects as e
from outlast.agent.agent_spec import Replan
from outlast.agent.events import Notified
from outlast.agent.loops.endings import LoopEnd, pause_at_end
from outlast.agent.loops.replan_loop.loop import replan_loop
from outlast.agent.runtime.driver import run
from outlast.agent.tools.function import FunctionTool
from outlast.errors import ToolFailed
from outlast.model.commands import AnswerQuestion, Command, Release
from outlast.model.execute import return_commit
from outlast.model.model import PERSON
from outlast.model.replan_position import Observation, ReplanPosition
from tests.agent.loops.replan_loop.by_hand import TOOLS
from tests.agent.loops.replan_loop.replies import Play, Script
from tests.agent.runtime.lanes import new_plan, open_lane


class Played:
    """A task that is played; `lines` is what people see, `ran` what the tools were given.

    `record` has each effect with the count after it.
    """

    def __init__(self, plan: Plan | None = None) -> None:
        self.plan = plan or new_plan(0)
        self.lines: list[str] = []
        self.changes: list[str] = []
        self.ran: list[str] = []
        self.record: list[tuple[str, int]] = []
        self.model = Script()
        self.script: Play | None = None

    def todo(self, input: str) -> str:  # noqa: A002 - as the tools are called
        """Manage todos."""
        self.ran.append(input)
        if "fail" in input:
            raise ToolFailed("tool_refused", problem="no")
        return f"did {input}"

    def play(self, *answers: object, person: object = None, **options: Any) -> LoopEnd:
        """Let the loop work until it ends; the model answers as the script says."""
        language = options.get("language", "en")

        def loop() -> e.Loop[LoopEnd]:
            how = Replan(**{"tools": TOOLS, "moment": "now", "in_chat": True, **options})
            work = replan_loop(how)
            return (yield from pause_at_end(self._watch(work), language))[0]

        def listen(event: object) -> None:
            if isinstance(event, Notified):
                (self.changes if event.kind == "replan" else self.lines).append(event.text)

        self.model = Script(*answers, play=self.script)
        tool = FunctionTool(self.todo, name="todo", settle="not_done")
        lane = open_lane(
            self.plan, self.model, tool, listener=listen, person=person, language=language
        )
        try:
            end: LoopEnd = asyncio.run(asyncio.wait_for(run(loop(), lane), 30))
        finally:
            self.commit(Release(0, lane.run.token))
        assert not self.model.answers or end.why != "answered", "the script goes on"
        return end

    def _watch(self, loop: e.Loop[LoopEnd]) -> e.Loop[LoopEnd]:
        """Remember each effect, and the count right after it."""
        reply: Any = None
        while True:
            try:
                effect = loop.send(reply)
            except StopIteration as stop:
                end: LoopEnd = stop.value
                return end
            reply = yield effect
            self.record.append((type(effect).__name__.lower(), self.position.steps))

    def commit(self, *commands: Command) -> None:
        self.plan.core.commit(commands, return_commit)

    def meanwhile(self, answer: object, *commands: Command) -> Callable[[], object]:
        """Return an answer of the model, before which somebody else changes the plan."""

        def reply() -> object:
            self.commit(*commands)
            return answer

        return reply

    def answer(self, words: str) -> None:
        """Answer the open question: a replan follows."""
        self.commit(AnswerQuestion(words, PERSON))

    @property
    def position(self) -> ReplanPosition:
        return self.plan.core.read(lambda state: state.ledger.replan)

    @property
    def observations(self) -> tuple[Observation, ...]:
        return self.plan.core.read(lambda state: state.ledger.observations)

    @property
    def tasks(self) -> list[tuple[int, str, str]]:
        return [(task.id, task.name, task.status) for task in self.plan.tasks()]
