"""The agent loop stays cheap: commits and views per model call; nothing blocks its event loop."""

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, Budget, Plan
from outlast.config.settings import LoopSettings, Rules, Settings
from outlast.context.chat_model import Call, Reply, Usage
from outlast.documents.views.registry import OUTLAST
from outlast.documents.views.synced_views import SyncedViews
from outlast.model.commands import CreatePlan
from outlast.plan.core import PlanCore
from outlast.store.files.log import FilesLog, create_files
from outlast.store.store import Store
from outlast.testing import FixedClock
from tests.agent.runtime.poke_tool import Poke
from tests.fake_model import FakeModel, ModelRequest
from tests.store.faults import FaultyDisk, QuickDisk

SETTINGS = Settings(loop=LoopSettings(policy="explicit"), rules=Rules(stop_limit=0))
POKE = Call("poke", {}, "p")
NOTE = Call("note_finding", {"text": "It is blue", "kind": "fact"}, "n")
LOOK = Call("plan_read", {}, "r")


class WatchedStore(Store):
    """A store that counts submissions, each of which makes a view, and blocking calls."""

    submitted = 0

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.blocking: list[str] = []

    def submit(self, request: Any, then: Any) -> Any:
        self.submitted += 1
        return super().submit(request, then)

    def commit(self, request: Any, then: Any) -> Any:
        self._note("commit")
        return super().commit(request, then)

    def read(self, question: Any) -> Any:
        self._note("read")
        return super().read(question)

    def _note(self, what: str) -> None:
        if is_on_event_loop():
            self.blocking.append(what)


class WatchedDisk(FaultyDisk):
    """A disk that notes which calls are made on the thread of an event loop."""

    def __init__(self) -> None:
        super().__init__(QuickDisk())
        self.blocking: list[str] = []

    def _call(self, kind: str, call: Any, *, writes: bool = False) -> Any:
        if is_on_event_loop():
            self.blocking.append(kind)
        return super()._call(kind, call, writes=writes)


def is_on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class Counted:
    """An agent on files; each of its model calls is counted from the one before."""

    def __init__(self, path: Path, *calls: Call, **options: Any) -> None:
        clock, self.disk = FixedClock(), WatchedDisk()
        command = CreatePlan("plan_test", "Sort", "k", begun=True)
        path.mkdir()
        create_files(str(path), self.disk, command, author="ann", now=clock())
        log = FilesLog(str(path), self.disk, clock())
        self.store = WatchedStore(log, clock())
        SyncedViews(self.store, log, OUTLAST.views)
        plan = Plan(PlanCore(self.store, clock, lambda: "plan_next", "agent"))
        plan.add("Sort them")
        self.marks: list[tuple[int, int]] = []
        replies = [*[Reply("", calls, Usage(9, 1))] * 8, Reply("Done", (), Usage(9, 1))]
        model = FakeModel(replies, on_request=self._mark)
        agent = AgentLoop(
            model=model, tools=[Poke()], plan=plan, settings=SETTINGS, max_iterations=20, **options
        )
        asyncio.run(agent.run("Sort"))
        plan.close()

    async def _mark(self, _request: ModelRequest) -> None:
        revision = await asyncio.to_thread(lambda: self.store.replica.state.revision)
        self.marks.append((revision, self.store.submitted))

    def per_model_call(self) -> tuple[int, int]:
        """Return the commits and the views from one model call to the next.

        The fewest count: on a slow machine the end of an attempt may be committed on its own.
        """
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(self.marks[1:8])]
        return min(commits for commits, _ in steps), min(views for _, views in steps)


@pytest.mark.parametrize(
    ("calls", "options", "commits", "views"),
    [
        ((POKE,), {}, 2, 4),
        ((POKE,), {"budget": Budget(tokens=10**9, tool_calls=99)}, 2, 4),
        ((POKE, POKE), {}, 3, 6),
        ((LOOK,), {}, 1, 3),
    ],
    ids=["one tool", "with a budget", "two tools", "a plan tool that reads"],
)
def test_x3_commits_and_views_of_a_model_call(
    tmp_path: Path, calls: tuple[Call, ...], options: Any, commits: int, views: int
) -> None:
    counted = Counted(tmp_path / "plan", *calls, **options)
    assert counted.per_model_call() == (commits, views)


def test_x3_the_event_loop_makes_no_commit_no_read_and_no_file_call(tmp_path: Path) -> None:
    counted = Counted(tmp_path / "plan", POKE, NOTE, LOOK, budget=Budget(model_calls=99))
    assert counted.store.blocking == []
    assert counted.disk.blocking == []
    assert len(counted.disk.calls) > 50
