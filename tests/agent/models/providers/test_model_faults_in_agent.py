"""F13: an agent counts failures of its model server, waits as told, and keeps its plan."""

import asyncio
import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import to_builtins

from outlast.agent.events import Event, Stopped
from outlast.agent.plan_locator import PlanLocator
from outlast.agent.runtime.lease_holder import LeaseHolder
from outlast.config.settings import Limits, Settings
from outlast.testing import Fault, ModelServer, ScriptedModel, Turn
from tests.agent.models.provider_clients import CONTRACTS, KEY, Contract, contract_model
from tests.agent.models.providers.test_model_faults import (
    FAULTS,
    LATER,
    UNREAD,
    is_complete,
    timeout_for,
)
from tests.agent.runtime.scene import agent_run
from tests.making import make_plan

pytestmark = pytest.mark.slow  # pydantic-ai takes seconds to load

TRIES = 3
GOAL = "Write a.txt"
SCRIPT = ScriptedModel((Turn(None, "All is well."),))


class Scene:
    """An agent on a plan of two tasks, with a server that fails as it is told."""

    def __init__(
        self, faults: Sequence[Fault], contract: Contract = "openai", iterations: int = 1
    ) -> None:
        self.plan = make_plan("a", "b", goal=GOAL)
        self.plan.acting_as("agent").start(1)
        self.before = self.tasks()
        self.patience = min(map(timeout_for, faults))
        self.iterations = iterations
        self.slept: list[float] = []
        self.events: list[Event] = []
        with ModelServer(SCRIPT, faults) as server:
            self.stopped = asyncio.run(self._run(server, contract))
            self.requests = list(server.requests)
        self.asked = len(self.requests)

    async def _run(self, server: ModelServer, contract: Contract) -> Stopped:
        with LeaseHolder(60) as holder:
            run = agent_run(
                holder,
                PlanLocator(self.plan, None, None, "agent"),
                contract_model(contract, server, seconds=self.patience, max_bytes=2_000_000),
                settings=Settings(limits=Limits(tries=TRIES, model_seconds=60.0)),
                max_iterations=self.iterations,
                made={"sleep": self._sleep, "listener": self.events.append},
            )
            return await run.execute(GOAL)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def tasks(self) -> list[Any]:
        return [to_builtins(task) for task in self.plan.tasks()]


@pytest.mark.parametrize(("name", "contract"), list(itertools.product(FAULTS, CONTRACTS)))
def test_f13_a_model_that_keeps_failing_is_counted_bounded_and_changes_nothing(
    name: str, contract: Contract
) -> None:
    fault, code = FAULTS[name]
    scene = Scene([fault] * 10, contract)
    assert scene.stopped.why == "model_failed"
    tries = TRIES if code == LATER else 1
    assert scene.plan.budget.cost().model_calls == tries, "every try is counted"
    assert is_complete(scene.asked, tries, fault)
    assert scene.tasks() == scene.before
    assert scene.plan.core.read(lambda state: dict(state.ledger.attempts)) == {}
    assert scene.plan.status == "paused"
    expected = [3.0, 3.0] if fault.retry_after else [1.0, 2.0]
    assert scene.slept == (expected if code == LATER else [])
    assert KEY not in str(to_builtins(scene.events))


@pytest.mark.parametrize("contract", CONTRACTS)
def test_f13_a_model_with_invalid_arguments_is_told_and_continues(contract: Contract) -> None:
    scene = Scene([UNREAD] * 2, contract, iterations=3)
    assert scene.asked == scene.plan.budget.cost().model_calls == 3
    assert "not a JSON object" in str(to_builtins(scene.requests[1].messages))
    assert "All is well." in str(to_builtins(scene.events))
    assert scene.tasks() == scene.before


def test_f13_a_model_that_never_learns_to_call_ends_at_the_limit() -> None:
    scene = Scene([UNREAD] * 9, iterations=4)
    assert (scene.stopped.why, scene.asked, scene.slept) == ("limit", 4, [])
    assert scene.tasks() == scene.before


def test_f13_retry_after_is_honoured_and_the_work_goes_on() -> None:
    faults = [Fault("status", status=429, retry_after="17"), Fault("reset")]
    scene = Scene(faults)
    assert scene.slept == [17.0, 2.0]
    assert scene.asked == 3
    assert "All is well." in str(to_builtins(scene.events))
    assert scene.stopped.why != "model_failed"


def test_f13_a_retry_after_without_end_is_not_waited_for() -> None:
    scene = Scene([Fault("status", status=429, retry_after="86400")] * 9)
    assert scene.slept == []
    assert scene.asked == 1
    assert scene.stopped.why == "model_failed"
