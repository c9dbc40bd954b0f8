"""Issue 16: no task starts with an agent that cannot work."""

import asyncio

from outlast.agent.events import Stopped
from outlast.agent.runtime.driver import run
from outlast.agent.work import WorkResult
from outlast.model.budget import Spend
from outlast.orchestrator.known_agents import Orchestrate
from outlast.orchestrator.scheduler import orchestrate
from tests.agent.runtime.lanes import new_plan, open_lane
from tests.fake_model import FakeModel
from tests.orchestrator.fake_agents import FakeAgent


class Trial:
    """A preflight that ends as told."""

    def __init__(self, result: WorkResult | Exception, *, is_needed: bool = True) -> None:
        self.result, self.needed, self.count = result, is_needed, 0

    async def is_needed(self) -> bool:
        return self.needed

    async def run(self) -> WorkResult:
        self.count += 1
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def orchestrated(trial: Trial, agent: FakeAgent) -> tuple[Stopped, int]:
    with new_plan(1) as plan:
        lane = open_lane(plan, FakeModel(), agent=agent, preflight=trial)
        loop = orchestrate(Orchestrate(parallel=1, has_model=False), "en")
        stopped = asyncio.run(asyncio.wait_for(run(loop, lane), 30))
        return stopped, plan.budget.cost().tokens


def test_an_agent_that_cannot_work_gets_no_task() -> None:
    for result in (WorkResult(error="Invalid API key"), RuntimeError("Invalid API key")):
        agent = FakeAgent()
        stopped, _ = orchestrated(Trial(result), agent)
        assert (stopped.status, stopped.why, agent.orders) == ("paused", "paused", [])
        assert "fake cannot work here" in stopped.text
        assert "Invalid API key" in stopped.text
        assert "preflight = false" in stopped.text


def test_an_agent_that_can_work_gets_its_tasks_and_the_trial_is_paid_for() -> None:
    agent = FakeAgent()
    stopped, tokens = orchestrated(Trial(WorkResult(spent=Spend(tokens=7))), agent)
    assert (stopped.status, len(agent.orders), tokens) == ("completed", 1, 7)


def test_an_agent_that_has_shown_it_is_not_tried() -> None:
    trial = Trial(WorkResult(error="no"), is_needed=False)
    assert orchestrated(trial, FakeAgent())[0].status == "completed"
    assert trial.count == 0
