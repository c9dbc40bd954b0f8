"""R1.01, R1.07, R1.09, R1.13: a whole plan, through the real runtime and driver."""

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from msgspec.structs import replace

from outlast import NewTask, Plan
from outlast.agent.effects import ReadyTask
from outlast.agent.events import Stopped
from outlast.agent.runtime.driver import run
from outlast.agent.work import Report, WorkOrder, WorkResult
from outlast.context.chat_model import Reply, Usage
from outlast.errors import ClaimLost
from outlast.model.budget import Budget, Spend
from outlast.model.commands import BeginAttempt, Release, SetBudget, Start
from outlast.model.execute import return_commit
from outlast.model.model import Question
from outlast.orchestrator.known_agents import Orchestrate
from outlast.orchestrator.scheduler import choose_tasks, orchestrate
from outlast.system.clock import FixedClock
from tests.agent.runtime.lanes import new_plan, open_lane
from tests.fake_model import FakeModel, ModelRequest
from tests.orchestrator.fake_agents import FakeAgent, succeed

_OPTIONS = {*Orchestrate.__struct_fields__} - {"timeout"}  # that of the run is a clock
NEXT = json.dumps({"decision": "next", "reason": "it is done"})


class Planner(FakeModel):
    """A model that plans, evaluates and sums up as told."""

    def __init__(self, tasks: list[Any], evaluations: dict[str, list[str]]) -> None:
        super().__init__()
        self.tasks, self.evaluations = [tasks], evaluations
        self.kinds: list[str] = []

    async def reply(self, request: ModelRequest) -> Reply:
        system, user = request.messages[0].text, request.messages[1].text
        if system.startswith(("You plan", "You change")):
            kind, answer = "plan", json.dumps({"tasks": self.tasks.pop(0)})
        elif system.startswith("You evaluate"):
            named = [name for name in self.evaluations if name in user]
            kind = "evaluate"
            answer = self.evaluations[named[0]].pop(0) if named else NEXT
        else:
            kind, answer = "summary", "All is well."
        self.kinds.append(kind)
        return Reply(answer, (), Usage(10, 5))


def orchestrated(
    plan: Plan, agent: FakeAgent, model: FakeModel, parallel: int = 2, **options: Any
) -> Stopped:
    """Run the orchestrator to its end; options that are not its own are those of the run."""
    own = {name: options.pop(name) for name in _OPTIONS if name in options}
    settings = Orchestrate(parallel=parallel, **own)

    async def drive() -> Stopped:
        lane = open_lane(plan, model, slots=parallel, agent=agent, **options)
        lane.has_thought = True  # it sums up what has ended
        stopped = await asyncio.wait_for(run(orchestrate(settings, "en"), lane), 30)
        with suppress(ClaimLost):  # a plan that has ended has no lease
            plan.core.commit((Release(0, lane.run.token),), return_commit)
        return stopped

    return asyncio.run(drive())


def diamond() -> list[dict[str, Any]]:
    return [
        {"name": "ground", "files": ["g"]},
        {"name": "left", "needs": [1], "files": ["l"]},
        {"name": "right", "needs": ["ground"], "files": ["r"]},
        {"name": "roof", "needs": [2, 3], "files": ["t"], "expected": "a roof"},
    ]


def empty_plan() -> Plan:
    return new_plan(0)


def statuses(plan: Plan) -> dict[str, str]:
    return {task.name: task.status for task in plan.tasks()}


def test_r1_01_a_goal_is_planned_carried_out_evaluated_and_summed_up() -> None:
    both = asyncio.Barrier(2)

    async def meet(order: WorkOrder) -> WorkResult:
        if order.name in ("left", "right"):
            await both.wait()  # until the other one is at work too
        return await succeed(order)

    plan, agent, model = empty_plan(), FakeAgent(meet), Planner(diamond(), {})
    end = orchestrated(plan, agent, model)
    assert end.why == "finished"
    assert set(statuses(plan).values()) == {"completed"}
    assert model.kinds == ["plan", *["evaluate"] * 4, "summary"]
    assert plan.core.read(lambda state: state.notes.deliverable) == "All is well."
    names = [order.name for order in agent.orders]
    assert (names[0], names[-1]) == ("ground", "roof")
    assert agent.most_busy == 2, "the two in the middle"


def test_r1_09_every_session_is_ended_at_the_end() -> None:
    plan, agent = empty_plan(), FakeAgent()
    orchestrated(plan, agent, Planner(diamond(), {}))
    assert sorted(agent.ended) == ["s-1", "s-2", "s-3", "s-4"]


def test_r1_05_the_results_of_needed_tasks_are_in_the_order() -> None:
    plan, agent = empty_plan(), FakeAgent()
    orchestrated(plan, agent, Planner(diamond(), {}))
    roof = agent.orders[-1]
    assert "did left" in roof.context
    assert "did right" in roof.context
    assert roof.expected == "a roof"


def test_r1_06_a_retry_continues_the_session_with_the_advice() -> None:
    retry = json.dumps({"decision": "retry", "reason": "no door", "advice": "add a door"})
    plan, agent = empty_plan(), FakeAgent()
    orchestrated(plan, agent, Planner(diamond(), {"2 left": [retry, NEXT]}))
    lefts = [order for order in agent.orders if order.name == "left"]
    assert [(order.session, order.advice) for order in lefts] == [("", ""), ("s-2", "add a door")]
    assert len({order.id for order in agent.orders}) == 5, "every attempt has its own id"


def test_r1_07_a_replan_replaces_what_has_not_started() -> None:
    change = json.dumps({"decision": "replan", "reason": "it is a tent", "advice": "no roof"})
    model = Planner(diamond(), {"3 right": [change, NEXT]})
    model.tasks.append([{"name": "right", "files": ["r"]}, {"name": "canvas", "needs": [1]}])
    plan, agent = empty_plan(), FakeAgent()
    end = orchestrated(plan, agent, model)
    assert end.why == "finished"
    assert statuses(plan) == dict.fromkeys(("ground", "left", "right", "canvas"), "completed")


def test_r1_13_tasks_run_side_by_side_only_if_their_files_cannot_be_the_same() -> None:
    plan, agent = empty_plan(), FakeAgent()
    plan.add_all([NewTask("a", files=("src/**",)), NewTask("b", files=("src/x.py",))])
    plan.add_all([NewTask("c", files=("docs/**",)), NewTask("d")])
    orchestrated(plan, agent, FakeModel(), 4, has_model=False)
    assert set(statuses(plan).values()) == {"completed"}
    assert agent.most_busy == 2


def test_r1_13_a_plan_without_a_model_is_carried_out_as_it_is() -> None:
    plan, agent, model = empty_plan(), FakeAgent(), FakeModel()
    plan.add_all([NewTask("a"), NewTask("b", peers=(1,))])
    assert orchestrated(plan, agent, model, has_model=False).why == "finished"
    assert model.requests == []


def test_r1_06_a_task_that_nobody_can_help_with_stops_the_run_and_waits() -> None:
    async def fail(order: WorkOrder) -> WorkResult:
        await succeed(order)
        return WorkResult(Report("FAILED", "", "it broke"))

    plan, agent = empty_plan(), FakeAgent(fail)
    plan.add("a")
    end = orchestrated(plan, agent, FakeModel(), has_model=False)
    assert (end.why, len(agent.orders)) == ("waiting", 3)
    assert "it broke" in plan.questions.open()[0].text


@pytest.mark.parametrize("parallel", [1, 3])
def test_r1_13_the_longest_remaining_path_comes_first(parallel: int) -> None:
    plan, agent = empty_plan(), FakeAgent()
    plan.add_all(
        [
            NewTask("short", files=("s",)),
            NewTask("long", files=("l",)),
            NewTask("longer", peers=(2,), files=("m",)),
            NewTask("longest", peers=(3,), files=("n",)),
        ]
    )
    orchestrated(plan, agent, FakeModel(), parallel, has_model=False)
    assert agent.orders[0].name == "long"


# After a crash


class Deaf:
    """A person who answers as told."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    async def answer(self, _question: Question) -> str | None:
        return self._answer or None


def interrupted(name: str = "a") -> Plan:
    """Return a plan whose run died while an agent worked on its task."""
    plan = empty_plan()
    plan.add(name)
    core = plan.core.acting_as("agent/1")
    core.commit(
        (Start("agent/1", 1), BeginAttempt(1, "delegate", "fake task-1 s-9")), return_commit
    )
    return plan


def test_x3_an_open_attempt_is_settled_by_the_agents_session_and_not_repeated() -> None:
    class Recalling(FakeAgent):
        async def settle(self, order: str, session: str) -> WorkResult | None:
            assert (order, session) == ("task-1", "s-9")
            return WorkResult(Report("SUCCESS", "s-9", "it was done"), "s-9")

    plan, agent = interrupted(), Recalling()
    assert orchestrated(plan, agent, FakeModel(), has_model=False).why == "finished"
    assert agent.orders == []
    assert plan.task(1).result == "it was done"


@pytest.mark.parametrize(("answer", "orders"), [("done", 0), ("not done", 1)])
def test_x3_a_person_settles_what_nobody_else_can_know(answer: str, orders: int) -> None:
    plan, agent = interrupted(), FakeAgent()
    end = orchestrated(plan, agent, FakeModel(), person=Deaf(answer), has_model=False)
    assert (end.why, len(agent.orders)) == ("finished", orders)


def test_x3_without_a_person_the_run_waits_and_runs_nothing() -> None:
    plan, agent = interrupted(), FakeAgent()
    end = orchestrated(plan, agent, FakeModel(), has_model=False)
    assert (end.why, agent.orders, plan.status) == ("unsettled", [], "paused")
    assert plan.questions.open()[0].kind == "settle"


def test_r1_13_tasks_that_wait_for_files_keep_no_others_waiting() -> None:
    plan, agent = empty_plan(), FakeAgent()
    plan.add_all(NewTask(f"a {number}", files=("a",)) for number in range(4))
    plan.add_all([NewTask("b", files=("b",))])
    orchestrated(plan, agent, FakeModel(), 2, has_model=False)
    assert {order.name for order in agent.orders[:2]} == {"a 0", "b"}


def test_r1_03_a_report_counts_though_the_clock_was_set_back_meanwhile() -> None:
    clock = FixedClock()

    async def set_back(order: WorkOrder) -> WorkResult:
        clock.advance(-3600)
        return await succeed(order)

    plan, agent = new_plan(1, clock), FakeAgent(set_back)
    orchestrated(plan, agent, FakeModel(), 1, has_model=False)
    assert set(statuses(plan).values()) == {"completed"}
    assert len(agent.orders) == 1


def test_f12_an_agent_that_hangs_is_stopped_and_has_failed() -> None:
    async def hang(order: WorkOrder) -> WorkResult:
        if len(agent.orders) == 1:
            await asyncio.sleep(60)
        return await succeed(order)

    plan, agent = new_plan(1), FakeAgent(hang)
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False, timeout=stop_soon)
    assert (end.why, len(agent.orders)) == ("finished", 2)
    assert "600 seconds" in agent.orders[1].advice


def stop_soon(seconds: float) -> asyncio.Timeout:
    return asyncio.timeout(seconds / 10_000)


@pytest.mark.parametrize(
    ("budget", "parallel", "most"),
    [
        (Budget(money=1.0), 1, 2),
        (Budget(money=1.0), 3, 4),
        (Budget(tokens=15), 1, 2),
        (Budget(time=8.0), 1, 2),
    ],
)
def test_x4_no_agent_starts_when_the_budget_is_used_up(
    budget: Budget, parallel: int, most: int
) -> None:
    clock = FixedClock()

    async def work(order: WorkOrder) -> WorkResult:
        clock.advance(5)
        return replace(await succeed(order), spent=Spend(money=0.6, tokens=10))

    plan, agent = new_plan(0, clock), FakeAgent(work)
    plan.add_all(NewTask(f"task {number}", files=(f"{number}",)) for number in range(6))
    plan.core.commit((SetBudget(budget),), return_commit)
    end = orchestrated(plan, agent, FakeModel(), parallel, has_model=False)
    assert end.why == "budget"
    assert len(agent.orders) <= most
    assert plan.status == "paused"


def test_x4_an_agent_gets_no_more_time_than_is_left() -> None:
    plan, agent = new_plan(1), FakeAgent()
    plan.core.commit((SetBudget(Budget(time=60.0)),), return_commit)
    orchestrated(plan, agent, FakeModel(), 1, has_model=False)
    assert agent.orders[0].timeout == 60.0


def test_r1_12_tasks_that_only_read_never_collide() -> None:
    one, other = (ReadyTask(task, ("src",)) for task in (1, 2))
    assert choose_tasks([one, other], [], 4, read_only=False) == [one]
    assert choose_tasks([one, other], [], 4, read_only=True) == [one, other]
    assert choose_tasks([one, other], [one], 4, read_only=False) == []
    assert choose_tasks([one, other], [], 1, read_only=True) == [one]
