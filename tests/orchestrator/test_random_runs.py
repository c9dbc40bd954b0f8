"""R1, as a property: whatever agents report and people answer, a run ends and loses nothing."""

import asyncio
import json
import os
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from outlast import NewTask, Plan
from outlast.agent.events import Stopped
from outlast.agent.work import AT_WORK, Report, WorkOrder, WorkProgress, WorkResult
from outlast.context.chat_model import Reply, Usage
from outlast.model.changes import AttemptBegan, AttemptEnded, PlanAborted
from outlast.model.model import Question, ReportStatus
from tests.fake_model import FakeModel, ModelRequest
from tests.orchestrator.fake_agents import FakeAgent
from tests.orchestrator.test_scheduler import empty_plan, orchestrated

EXAMPLES = int(os.environ.get("OUTLAST_RANDOM_RUNS", "25"))
DECISIONS = ("next", "next", "next", "retry", "replan", "abort")
ANSWERS = (None, "", "retry", "skip", "abort", "edit", "edit to this", "use tabs", "no", "approve")
KINDS = ("good", "bad", "part", "slow", "denied", "lost", "broken")
WHYS = {"finished", "waiting", "unsettled", "limit", "model_failed", "paused"}

_STATUSES: dict[str, ReportStatus] = {"good": "SUCCESS", "bad": "FAILED", "part": "PARTIAL_SUCCESS"}


class Chance:
    """Dice for a run; after some throws everybody is good, so that no person decides for ever."""

    def __init__(self, seed: int) -> None:
        self._dice, self._left = Random(seed), 60  # noqa: S311 - dice

    def choose(self, *choices: Any) -> Any:
        """Return one of the choices; the first one once the throws are used up."""
        self._left -= 1
        return self._dice.choice(choices) if self._left > 0 else choices[0]


class Erratic(FakeAgent):
    """An agent that reports anything, or nothing."""

    def __init__(self, chance: Chance) -> None:
        super().__init__(self._act)
        self._chance = chance
        self.sent: list[str] = []

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        assert order.id not in self.sent, "every order is new"
        self.sent.append(order.id)
        return await super().work(order, progress)

    async def _act(self, order: WorkOrder) -> WorkResult:
        for _ in range(self._chance.choose(0, 1, 3)):
            await asyncio.sleep(0)
        kind = self._chance.choose(
            "good", "good", "bad", "part", "slow", "denied", "lost", "broken"
        )
        session = self._chance.choose(order.session, "s-1", "")
        if kind in ("good", "bad", "part"):
            status = _STATUSES[kind]
            return WorkResult(Report(status, session, f"{kind} {order.name}"), session)
        if kind == "denied":
            return WorkResult(denied=("rm -r /",))
        if kind == "broken":
            raise OSError(order.id)
        return WorkResult(error="too slow", code=AT_WORK if kind == "lost" else "")


class Whimsical(FakeModel):
    """A model that decides at random, and sometimes answers nonsense."""

    def __init__(self, chance: Chance) -> None:
        super().__init__()
        self._chance, self._plans = chance, 0

    async def reply(self, request: ModelRequest) -> Reply:
        system = request.messages[0].text
        if self._chance.choose("sense", *["sense"] * 6, "nonsense") == "nonsense":
            answer = "Hm."
        elif system.startswith("You evaluate"):
            decided = {"decision": self._chance.choose(*DECISIONS), "reason": "so", "advice": None}
            answer = json.dumps(decided)
        elif system.startswith("You change"):
            self._plans += 1
            names = [f"new {self._plans}.{number}" for number in range(self._chance.choose(1, 2))]
            tasks = [{"name": name, "files": [name], "checks": []} for name in names]
            answer = json.dumps({"tasks": tasks})
        else:
            answer = "Summed up."
        return Reply(answer, (), Usage(1, 1))


class Moody:
    """A person who may be away, and says anything."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    async def answer(self, question: Question) -> str | None:
        await asyncio.sleep(0)
        if question.kind == "settle":
            return str(self._chance.choose("done", "not done"))
        answer: str | None = self._chance.choose("skip", *ANSWERS)
        return answer


@st.composite
def plans(draw: st.DrawFn) -> list[NewTask]:
    """Return tasks of which each needs some of those before it."""
    tasks = []
    for number in range(1, draw(st.integers(1, 6)) + 1):
        peers = draw(st.sets(st.integers(1, number - 1))) if number > 1 else set[int]()
        files = draw(st.sampled_from(((), (f"f{number}",), ("shared",))))
        tasks.append(NewTask(f"t{number}", peers=tuple(sorted(peers)), files=files))
    return tasks


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    tasks=plans(),
    seed=st.integers(0, 2**32),
    parallel=st.integers(1, 4),
    has_model=st.booleans(),
    review=st.booleans(),
    is_there=st.booleans(),
    unattended=st.sampled_from(("wait", "abort")),
    share_session=st.booleans(),
    attempts=st.integers(1, 4),
)
def test_r1_a_run_always_ends_loses_no_task_and_begins_nothing_after_an_abort(
    tasks: list[NewTask], seed: int, *, is_there: bool, **how: Any
) -> None:
    chance, plan = Chance(seed), empty_plan()
    plan.add_all(tasks)
    agent, model = Erratic(chance), Whimsical(chance)
    for _ in range(4):  # each run may wait for somebody, and the next one goes on
        end = go_on(plan, agent, model, Moody(chance) if is_there else None, how)
        check_ended(plan, end)
        if end.why == "finished":
            break


def go_on(
    plan: Plan, agent: Erratic, model: FakeModel, person: Any, how: dict[str, Any]
) -> Stopped:
    before = open_tasks(plan)
    end = orchestrated(plan, agent, model, person=person, most_replans=3, **how)
    if not how["has_model"]:
        assert before <= {task.id for task in plan.tasks()}, "only a model removes tasks"
    return end


def open_tasks(plan: Plan) -> set[int]:
    return {task.id for task in plan.tasks()}


def check_ended(plan: Plan, end: Stopped) -> None:
    """Check that a run left the plan in order."""
    assert end.why in WHYS, end
    state_attempts = plan.core.read(lambda state: dict(state.ledger.attempts))
    assert not state_attempts, "every attempt has ended"
    statuses = [task.status for task in plan.tasks()]
    if plan.status == "completed":
        assert set(statuses) <= {"completed", "skipped"}
    if end.why == "finished":
        assert plan.status in ("completed", "failed")
        assert plan.core.read(lambda state: state.notes.deliverable)
        assert not plan.core.read(lambda state: state.ledger.sessions)
    if end.why == "waiting":
        assert plan.questions.open(), "somebody is asked"
    check_order(plan)


def check_order(plan: Plan) -> None:
    """Check that no attempt begins after the abort, and that those of a task do not overlap."""
    is_aborted, at_work = False, dict[int, str]()
    for change in changes(plan):
        if isinstance(change, PlanAborted):
            is_aborted = True
        elif isinstance(change, AttemptBegan) and change.kind == "delegate":
            assert not is_aborted, "an attempt began after the abort"
            assert change.task not in at_work, "two attempts of one task at a time"
            at_work[change.task] = change.id
        elif isinstance(change, AttemptEnded):
            at_work = {task: id_ for task, id_ in at_work.items() if id_ != change.id}
    assert not at_work


def changes(plan: Plan) -> Iterator[Any]:
    for commit in plan.core.store.commits_since(0):
        yield from commit.changes
