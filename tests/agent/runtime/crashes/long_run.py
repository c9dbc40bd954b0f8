"""A run that creates its plan, asks, gets messages from people and fails now and then."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from outlast import Budget, Plan
from outlast.agent.agent_run import AgentRun
from outlast.agent.events import Stopped
from outlast.agent.models.scripted import Turn
from outlast.agent.plan_locator import PlanLocator
from outlast.agent.runtime.lease_holder import LeaseHolder
from outlast.context.chat_model import Call
from outlast.context.tool import Tool
from outlast.errors import ToolFailed
from outlast.model.changes import QuestionAnswered
from outlast.model.commands import CreatePlan
from outlast.model.model import Lease
from outlast.store.files.log import open_files
from outlast.system.disk import Disk
from tests.agent.runtime.poke_tool import Poke
from tests.agent.runtime.scene import (
    GOAL,
    LEASE,
    PLAN,
    AttentiveModel,
    Scene,
    agent_run,
    complete,
    plan_on,
    write,
)
from tests.store.faults import Killed, QuickDisk
from tests.store.opening import new_files

ASK = Call("ask_user", {"question": "Which colour?"}, "q")
POKE = Call("poke", {"where": "there"}, "p")
BUDGET = Budget(model_calls=200, tokens=2_000_000, tool_calls=200)
TURNS = (
    Turn("- Progress: 0/0", calls=(PLAN,)),
    Turn("- Current step: 1.", calls=(write("a.txt"), complete(1))),
    Turn(("- Current step: 2.", "blue"), calls=(write("b.txt"), complete(2))),
    Turn("- Current step: 2.", calls=(ASK,)),
    Turn(("- Current step: 3.", "That hurt"), calls=(write("deep/er/c.txt"), complete(3))),
    Turn("- Current step: 3.", calls=(POKE,)),
    Turn("- Progress: 3/3", "All is written."),
    Turn(calls=(Call("read_file", {"path": "."}),)),
)


class FailingPoke(Poke):
    """A tool that always fails, and may simply be repeated."""

    def __init__(self) -> None:
        super().__init__(error=ToolFailed("not_a_file", path="That hurt"), found="not_done")


class OneDirectoryLocator(PlanLocator):
    """The one plan of a directory, on a disk that may fail."""

    def __init__(self, scene: Scene, disk: Disk) -> None:
        super().__init__(None, None, None, "agent")
        self._scene, self._disk = scene, disk
        self._plan: Plan | None = None

    def find(self) -> Plan | None:
        where = self._scene.directory
        if self._plan is None and (where / "journal.jsonl").exists():
            store = open_files(str(where), self._disk, self._scene.clock())
            self._plan = plan_on(store, self._scene.clock)
        return self._plan

    def create(
        self, goal: str, hold: Callable[[Plan], Lease], budget: Budget
    ) -> tuple[Plan, Lease]:
        where, now = str(self._scene.directory), self._scene.clock()
        command = CreatePlan("plan_test", goal, "k", begun=True, budget=budget)
        new_files(where, self._disk, command, author="agent", now=now).close()
        plan = self.find()
        assert plan is not None
        return plan, hold(plan)

    def close(self) -> None:
        if self._plan is not None:
            self._plan.close()


class LongRun(Scene):
    """A workspace without a plan, in which an agent works as often as it takes."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, new=False)
        self.workspace.mkdir(parents=True)
        self.directory.mkdir()
        self.waited = self.kills = 0

    def tools(self, disk: Disk) -> tuple[Tool, ...]:
        return (*super().tools(disk), FailingPoke())

    def until_done(self, disk: Disk) -> Stopped:
        """Run until the plan is finished; the first disk may kill the process."""
        for _ in range(9):
            try:
                stopped = asyncio.run(self._attempt(disk))
            except Killed:
                self.kills += 1
                self.clock.advance(LEASE + 1)
                disk = QuickDisk()
                if self._is_over():
                    return Stopped("completed", "finished", "")
                continue
            if stopped.why == "finished":
                return stopped
            assert stopped.why == "waiting", stopped
            self.waited += 1
        raise AssertionError

    def _is_over(self) -> bool:
        """Return whether the process died after the last write of the run, which ends its lease."""
        plan = OneDirectoryLocator(self, QuickDisk()).find()
        if plan is None:
            return False
        with plan:
            return plan.core.read(lambda s: s.status == "completed" and not s.ledger.leases)

    async def _attempt(self, disk: Disk) -> Stopped:
        place, holder = OneDirectoryLocator(self, disk), LeaseHolder(LEASE)
        model = AttentiveModel(turns=TURNS)
        run = agent_run(holder, place, model, *self.tools(disk), budget=BUDGET, ask=True)
        try:
            stopped = await self._go_on(run, place.find())
        except Killed:
            for _, beat in holder._heartbeats:  # noqa: SLF001 - a killed process releases nothing
                beat.stop()
            raise
        with holder:
            pass
        place.close()
        return stopped

    async def _go_on(self, run: AgentRun, plan: Plan | None) -> Stopped:
        waits = plan is not None and plan.questions.open()
        if waits:
            run.say("And be quick")
        return await run.execute("blue" if waits else GOAL)

    def answers(self) -> list[str]:
        changes = (change for commit in self.past() for change in commit.changes)
        return [change.answer for change in changes if isinstance(change, QuestionAnswered)]

    def look(self) -> dict[str, Any]:
        """Return what must hold however often the process died."""
        store = open_files(str(self.directory), QuickDisk(), self.clock())
        plan = plan_on(store, self.clock)
        facts = {
            "tasks": [(task.name, task.status, task.result) for task in plan.tasks()],
            "files": self.files(),
            "errors": [(one.tool, one.count) for one in plan.notes.errors()],
            "budget": plan.budget.limits(),
            "said": plan.core.read(lambda state: state.ledger.conversation.interjections),
            "open": plan.core.read(lambda state: len(state.ledger.attempts)),
        }
        self.spent = plan.budget.cost()
        store.close()
        return facts
