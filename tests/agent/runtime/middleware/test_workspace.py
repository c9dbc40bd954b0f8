"""A13: the views of a plan are synced before a tool runs and before its attempt ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from outlast import AgentLoop, Plan, create_plan, open_plan
from outlast.config.settings import LoopSettings, Rules, Settings
from outlast.context.chat_model import Reply, Usage
from outlast.model.commands import CreatePlan
from outlast.model.model import UNATTRIBUTED
from outlast.models import Call
from outlast.plan.core import PlanCore
from outlast.system.clock import now
from outlast.tools import as_tool
from tests.documents.views.rendered_plans import with_sync
from tests.fake_model import FakeModel
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.opening import new_views

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from outlast.agent.events import Event

SETTINGS = Settings(loop=LoopSettings(policy="explicit"), rules=Rules(stop_limit=0))


def run_tool(root: Path, work: Callable[[], object]) -> list[Event]:
    """Let an agent call a tool once; return the events."""
    with create_plan(root, "Sort", "k") as plan:
        plan.add("Sort them")

    @as_tool
    def poke() -> str:
        """Poke."""
        work()
        return "poked"

    events: list[Event] = []
    replies = [Reply("", (Call("poke", {}),), Usage(9, 1)), Reply("Done.", (), Usage(9, 1))]
    agent = AgentLoop(
        model=FakeModel(replies),
        tools=[poke],
        workdir=root,
        key="k",
        settings=SETTINGS,
        on_event=events.append,
    )
    asyncio.run(agent.run("Sort"))
    return events


def rename(root: Path) -> None:
    file = root / ".outlast/plans/k/task_plan.md"
    file.write_text(file.read_text().replace("Sort them", "Sort all"))


def test_a13_an_edit_during_a_call_is_committed_before_the_call_ends(tmp_path: Path) -> None:
    run_tool(tmp_path, lambda: rename(tmp_path))
    with open_plan(tmp_path, "k") as plan:
        commits = plan.history.commits(100)[::-1]
        kinds = [(each.author, type(made).__name__) for each in commits for made in each.changes]
    edit = kinds.index((UNATTRIBUTED, "QuestionAsked"))
    assert ("agent", "AttemptBegan") in kinds[:edit]
    assert ("agent", "AttemptEnded") in kinds[edit:]


class OwnPlan:
    """A plan on a disk that can fail, for an agent whose tool edits its file."""

    def __init__(self, root: Path) -> None:
        self.disk, self.file = FaultyDisk(QuickDisk()), root / "plan/task_plan.md"
        self.file.parent.mkdir()
        command = CreatePlan("plan_test", "Sort", "k", begun=True)
        store = new_views(str(self.file.parent), self.disk, command, author="ann", now=now())
        self.plan = Plan(PlanCore(with_sync(store, now), now, lambda: "plan_next", "agent"))
        self.plan.add("Sort them")
        self.plan.add("Rest")
        self.plan.files.render()

    def run(self, then: Callable[[], object]) -> str:
        """Let an agent edit the file, and call `then` before its call ends; return its text."""

        @as_tool
        def poke() -> str:
            """Poke."""
            self.file.write_text(self.file.read_text().replace("Rest", "Break"))
            then()
            return "poked"

        replies = [Reply("", (Call("poke", {}),), Usage(9, 1)), Reply("Done.", (), Usage(9, 1))]
        agent = AgentLoop(model=FakeModel(replies), tools=[poke], plan=self.plan, settings=SETTINGS)
        return asyncio.run(agent.run("Sort")).answer


def test_f5_a_plan_that_cannot_be_read_after_a_call_is_left_for_a_scratch_plan(
    tmp_path: Path,
) -> None:
    own = OwnPlan(tmp_path)

    def fail() -> None:
        own.disk.error, own.disk.lasting, own.disk.deadly = OSError(5, "I/O error"), True, "read"

    assert own.run(fail) == "Done."
    own.disk.heal()
    own.plan.files.sync()
    assert [task.name for task in own.plan.tasks()] == ["Sort them", "Break"]
    assert own.plan.history.commits(1)[0].author == UNATTRIBUTED
    own.plan.close()


def test_f5_a_plan_that_its_owner_closes_during_a_call_takes_no_result_away(tmp_path: Path) -> None:
    own = OwnPlan(tmp_path)
    assert own.run(own.plan.close) == "Done."
