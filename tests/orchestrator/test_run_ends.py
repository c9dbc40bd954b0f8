"""R1.09, R1.12: how a run of the orchestrator ends when it cannot finish the plan."""

import asyncio
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest

from outlast import NewTask, Plan
from outlast.agent.work import WorkOrder, WorkResult
from outlast.context.chat_model import Reply
from outlast.errors import StoreError
from outlast.model.commands import Start
from outlast.model.execute import return_commit
from tests.agent.runtime.test_lanes import files_plan
from tests.fake_model import FakeModel, ModelRequest
from tests.orchestrator.fake_agents import FakeAgent, succeed
from tests.orchestrator.test_scheduler import Planner, diamond, empty_plan, orchestrated
from tests.store.faults import FaultyDisk, QuickDisk


def plan_of(*tasks: NewTask) -> Plan:
    plan = empty_plan()
    plan.add_all(tasks)
    return plan


def test_r1_10_a_goal_that_is_only_planned_is_not_carried_out() -> None:
    plan, agent = empty_plan(), FakeAgent()
    end = orchestrated(plan, agent, Planner(diamond(), {}), plan_only=True)
    assert (end.why, len(plan.tasks()), agent.orders) == ("answered", 4, [])


def test_r1_12_a_plan_that_a_person_pauses_stops_after_what_has_begun() -> None:
    plan = plan_of(NewTask("a"), NewTask("b"))

    async def pause(order: WorkOrder) -> WorkResult:
        plan.acting_as("human").pause()
        return await succeed(order)

    agent = FakeAgent(pause)
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False)
    assert (end.why, plan.status, len(agent.orders)) == ("paused", "paused", 1)


def test_x6_what_others_have_claimed_is_left_to_them() -> None:
    plan = plan_of(NewTask("a"))
    plan.core.acting_as("bob").commit((Start("bob", 1),), return_commit)
    end = orchestrated(plan, FakeAgent(), FakeModel(), has_model=False)
    assert (end.why, end.text) == ("paused", "The remaining tasks are claimed by others: 1")


def test_r1_13_a_plan_without_tasks_and_without_a_model_has_nothing_to_start() -> None:
    end = orchestrated(empty_plan(), FakeAgent(), FakeModel(), has_model=False)
    assert (end.why, end.text) == ("paused", "There is no task that could start")


def test_a10_a_command_that_cannot_be_approved_here_is_left_aside() -> None:
    async def deny(order: WorkOrder) -> WorkResult:
        return WorkResult(denied=(order.run,)) if order.run else await succeed(order)

    plan, agent = plan_of(NewTask("a", run="make"), NewTask("b")), FakeAgent(deny)
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False)
    assert (end.why, end.text) == ("paused", "The agent was not permitted to: make")
    assert plan.task(2).status == "completed"


def test_x4_a_model_that_fails_lets_what_has_begun_end() -> None:
    begun = asyncio.Event()

    class Down(Planner):
        async def reply(self, request: ModelRequest) -> Reply:
            if "2 left" in request.messages[1].text:
                begun.set()
                raise OSError
            return await super().reply(request)

    async def wait(order: WorkOrder) -> WorkResult:
        if order.name == "right":
            await begun.wait()
        return await succeed(order)

    plan, agent = empty_plan(), FakeAgent(wait)
    end = orchestrated(plan, agent, Down(diamond(), {}))
    assert (end.why, plan.status) == ("model_failed", "paused")
    assert plan.task(3).status == "completed", "its report was there"
    assert plan.task(2).status == "in_progress", "its report waits to be evaluated"


def test_f_a_lane_that_breaks_off_is_told_with_its_error() -> None:
    class Odd(FakeAgent):
        """An agent whose results are no results."""

        async def work(self, *_given: Any) -> Any:
            return None

    plan = plan_of(NewTask("a"))
    end = orchestrated(plan, Odd(), FakeModel(), has_model=False)
    assert end.why == "paused"
    assert end.text.startswith("The work on task 1 broke off: ")


@pytest.mark.parametrize("parallel", [1, 2])
def test_x3_a_report_that_waits_is_evaluated_by_the_next_run(parallel: int) -> None:
    class Down(Planner):
        is_down = True

        async def reply(self, request: ModelRequest) -> Reply:
            if self.is_down and request.messages[0].text.startswith("You evaluate"):
                raise OSError
            return await super().reply(request)

    plan, agent, model = empty_plan(), FakeAgent(), Down(diamond(), {})
    assert orchestrated(plan, agent, model, parallel).why == "model_failed"
    model.is_down = False
    assert orchestrated(plan, agent, model, parallel).why == "finished"
    assert [order.name for order in agent.orders].count("ground") == 1


def test_f5_a_run_does_not_go_on_without_a_plan_that_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FaultyDisk(QuickDisk(), error=OSError(ENOSPC, "No space left on device"), lasting=True)

    class Filling(Planner):
        async def reply(self, request: ModelRequest) -> Reply:
            disk.at, disk.deadly = len(disk.calls) + 1, "write"
            return await super().reply(request)

    plan, agent = files_plan(tmp_path, disk, 0), FakeAgent()
    with pytest.raises(StoreError, match="No space left on device"):
        orchestrated(plan, agent, Filling(diamond(), {}))
    disk.heal()
    assert "going on without a plan" not in caplog.text
    assert agent.orders == []
    assert not plan.tasks()
