"""An orchestrator with four lanes in a process that may die anywhere, and the world around it.

The world survives: what agents were asked, what they did, and what they remember of it.
"""

import asyncio
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from outlast import Plan
from outlast.agent.events import Stopped
from outlast.agent.runtime.driver import run
from outlast.agent.work import Report, WorkOrder, WorkProgress, WorkResult
from outlast.cli.run.approval import group_tasks
from outlast.context.chat_model import Reply, Usage
from outlast.model.changes import AttemptBegan, AttemptEnded, Commit, TaskCompleted
from outlast.model.commands import Release
from outlast.model.execute import return_commit
from outlast.model.model import Question
from outlast.orchestrator.known_agents import Orchestrate
from outlast.orchestrator.scheduler import orchestrate
from tests.agent.runtime.lanes import Bomb, Mortal, dawdle, open_lane
from tests.fake_model import FakeModel, ModelRequest
from tests.store.faults import FaultyDisk, Killed, QuickDisk

LANES = 4


def planned(number: int, *needs: int) -> dict[str, Any]:
    return {"name": f"part {number}", "needs": [f"part {n}" for n in needs], "files": [f"{number}"]}


TASKS = [planned(n) for n in (1, 2, 3, 6)] + [
    planned(4, 1, 2, 3, 6),
    planned(5, 4),
    planned(7, 4, 5),
    planned(8, 7),
]
AFTER_REPLAN = [planned(4, 1, 2), planned(5, 4), planned(9, 4), planned(10, 4), planned(11, 9, 5)]
RETRIED, REPLANNED, STUBBORN = "part 2", "part 4", "part 6"


class World:
    """What agents were asked and did, which no crash of the orchestrator takes back."""

    def __init__(self, seed: int = 0, *, forgets: bool = False) -> None:
        self.dice = Random(seed)  # noqa: S311 - to be repeated
        self.forgets = forgets  # an agent what it was asked; then only a person can tell
        self.arrived: Counter[str] = Counter()
        self.deeds: Counter[str] = Counter()
        self.reports: dict[str, WorkResult] = {}
        self.ended: set[str] = set()
        self.was_asked = False


class Worker:
    """An agent that remembers each order; what it was doing when the orchestrator died is lost."""

    name = "fake"

    def __init__(self, world: World, disk: FaultyDisk) -> None:
        self._world, self._disk, self._wait = world, disk, dawdle(world.dice)

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        self._world.arrived[order.id] += 1
        session = order.session or f"s-{order.id}"
        progress.began(session)
        await self._pass_time()
        result = self._carry_out(order.name, session)
        self._world.reports[order.id] = result
        await self._pass_time()
        return result

    def _carry_out(self, name: str, session: str) -> WorkResult:
        if name == STUBBORN and not self._world.was_asked:
            return WorkResult(Report("FAILED", session, "somebody has to help"), session)
        self._world.deeds[name] += 1
        words = f"did {name}, try {self._world.deeds[name]}"
        return WorkResult(Report("SUCCESS", session, words), session)

    async def settle(self, order: str, session: str) -> WorkResult | None:
        del session
        await self._pass_time()
        if self._world.forgets:
            return None
        return self._world.reports.get(order, WorkResult(error="it was not done"))

    async def end_session(self, session: str) -> None:
        await self._pass_time()
        self._world.ended.add(session)

    async def _pass_time(self) -> None:
        await self._wait(0)
        if self._disk.dead:
            raise Killed


class Judge(FakeModel):
    """Plans, wants one task done twice, one replan after another, and sums up."""

    async def reply(self, request: ModelRequest) -> Reply:
        system, user = request.messages[0].text, request.messages[1].text
        await asyncio.sleep(0)
        if system.startswith("You plan"):
            answer: Any = {"tasks": TASKS}
        elif system.startswith("You change"):
            answer = {"tasks": AFTER_REPLAN}
        elif system.startswith("You evaluate"):
            answer = self._evaluate(user)
        else:
            return Reply("All is well.", (), Usage(10, 5))
        return Reply(json.dumps(answer), (), Usage(10, 5))

    def _evaluate(self, user: str) -> dict[str, Any]:
        if f"did {RETRIED}, try 1" in user:
            return {"decision": "retry", "reason": "not enough", "advice": "do it again"}
        if f"did {REPLANNED}, try 1" in user:
            return {"decision": "replan", "reason": "it is a tent", "advice": "no roof"}
        if "somebody has to help" in user:
            return {"decision": "retry", "reason": "it failed", "advice": "ask"}
        return {"decision": "next", "reason": "it is done"}


class Helper:
    """A person who helps, and has seen what was done."""

    def __init__(self, world: World, plan: Plan) -> None:
        self._world, self._plan = world, plan

    async def answer(self, question: Question) -> str:
        await asyncio.sleep(0)
        if question.kind == "settle":
            return "done" if self._has_seen(question.about) else "not done"
        self._world.was_asked = True
        return "retry"

    def _has_seen(self, attempt: str) -> bool:
        """Return whether the order of an attempt has led to a report."""
        what = self._plan.core.read(lambda state: state.ledger.attempts[attempt].what)
        results = (self._world.reports.get(word) for word in what.split())  # one is the order
        return any(result is not None and result.report is not None for result in results)


class Scene(Mortal[Stopped]):
    """A plan on disk in a world, for runs that are killed and started again."""

    def __init__(self, path: Path, seed: int = 0, *, forgets: bool = False) -> None:
        super().__init__(path)
        self.world = World(seed, forgets=forgets)

    async def live(self, disk: FaultyDisk, bomb: Bomb) -> Stopped:
        plan = self.open(disk)
        agent, person = Worker(self.world, disk), Helper(self.world, plan)
        lane = open_lane(plan, Judge(), slots=LANES, agent=agent, person=person)
        lane.has_thought = True  # it sums up what has ended
        loop = orchestrate(Orchestrate(parallel=LANES), "en")
        stopped = await live_with(disk, asyncio.create_task(run(bomb.arm(loop), lane)))
        plan.core.commit((Release(0, lane.run.token),), return_commit)
        plan.close()
        return stopped

    def outlook(self) -> tuple[int, dict[str, set[int]]]:
        """Return the revision, and what `outlast resume` would say about each task."""
        with self.open(QuickDisk()) as plan:
            groups = plan.core.read(group_tasks)
            return plan.revision, {key: {t.id for t in tasks} for key, tasks in groups.items()}

    def commits_since(self, revision: int) -> list[Commit]:
        with self.open(QuickDisk()) as plan:
            return list(plan.core.store.commits_since(revision))

    def outcome(self) -> dict[str, Any]:
        """Return what was reached: all but times, revisions and attempts."""
        with self.open(QuickDisk()) as plan:
            return {
                "status": plan.status,
                "tasks": [(task.name, task.status, task.result) for task in plan.tasks()],
                "deliverable": plan.core.read(lambda state: state.notes.deliverable),
                "sessions": plan.core.read(lambda state: dict(state.ledger.sessions)),
                "deeds": dict(self.world.deeds),
            }

    def check(self) -> None:
        """Check that no order arrived twice, and that each attempt began and ended once."""
        assert set(self.world.arrived.values()) <= {1}
        with self.open(QuickDisk()) as plan:
            check_attempts(plan.core.store.commits_since(0))


async def live_with(disk: FaultyDisk, work: asyncio.Task[Stopped]) -> Stopped:
    """Wait for the end of a run, which ends with its disk: a thread may have died without a word.

    Raises `Killed` then.
    """
    while not (work.done() or disk.dead):
        await asyncio.wait((work,), timeout=0.05)
    if disk.dead:
        work.cancel()
        await asyncio.wait((work,), timeout=1)
        raise Killed
    return work.result()


def check_attempts(commits: list[Commit]) -> None:
    """Check that attempts have one end, one at a time for a task, none after its completion."""
    open_attempts: dict[str, AttemptBegan] = {}
    completed = set[int]()
    for commit in commits:
        for change in commit.changes:
            if isinstance(change, AttemptBegan):
                tasks = [attempt.task for attempt in open_attempts.values()]
                assert change.task == 0 or change.task not in tasks, "one at a time for a task"
                assert change.task not in completed, "nothing that was finished is done again"
                open_attempts[change.id] = change
            elif isinstance(change, AttemptEnded):
                del open_attempts[change.id]
            elif isinstance(change, TaskCompleted):
                assert change.id not in completed
                completed.add(change.id)
    assert open_attempts == {}, "everything is settled"
