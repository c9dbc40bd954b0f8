"""F14: whatever a model does, a run ends and the budget holds, even across kill and resume."""

import asyncio
import os
from math import exp, log
from random import Random
from typing import Any

import pytest

from outlast import Budget, Plan
from outlast.agent.events import Stopped
from outlast.agent.plan_locator import PlanLocator
from outlast.agent.runtime.lease_holder import LeaseHolder
from outlast.config.settings import Limits, LoopSettings, Settings
from outlast.model.budget import AMOUNTS, Spend, add_spend
from outlast.model.commands import CreatePlan
from outlast.model.execute import return_commit
from outlast.plan.core import PlanCore
from outlast.store.port import Request
from tests.agent.runtime.hostile import KINDS, FakeTime, HostileModel, MortalStore, Poke
from tests.agent.runtime.scene import agent_run
from tests.store.faults import Killed

ROUNDS = int(os.environ.get("OUTLAST_F14", "300"))
GOAL = "Never mind"
LEASE = 60
LIMITS = {
    "tool_calls": (1, 200),
    "money": (0.001, 20.0),
    "replans": (1, 40),
    "time": (1, 5_000),
    "model_calls": (1, 100),
    "tokens": (1_000, 2_000_000),
}


class Ordeal:
    """One plan with a budget, and runs on it until the budget or the rounds are used up."""

    def __init__(self, seed: int, budget: Budget | None = None) -> None:
        self.dice = Random(seed)  # noqa: S311 - to be repeated
        self.time = FakeTime()
        self.store = MortalStore(self.time(), keep_history=False)
        command = CreatePlan("plan_test", GOAL)
        self.store.commit(Request((command,), "ann", self.time()), return_commit)
        self.model = HostileModel(KINDS[seed % len(KINDS)], self.dice, self.time)
        self.tool = Poke(self.dice, self.time)
        self.budget = budget or self._budget()
        self.kills = 0
        self.whys: list[str] = []

    def _budget(self) -> Budget:
        chosen = self.dice.sample(list(LIMITS), self.dice.randrange(1, 4))
        drawn: dict[str, Any] = {
            what: exp(self.dice.uniform(*map(log, LIMITS[what]))) for what in chosen
        }
        return Budget(**{k: v if k == "money" else int(v) for k, v in drawn.items()})

    def play(self) -> None:
        for _ in range(6):
            self.store.left = self.dice.choice((0, self.dice.randrange(1, 40)))
            self.store.after = self.dice.random() < 0.5
            self.store.dead = False
            try:
                self.whys.append(asyncio.run(self._run()).why)
            except Killed:
                self.kills += 1
                self.time.advance(LEASE + 1)
            self.check()
            if self.store.read(lambda state: state.status in ("completed", "failed")):
                return  # what comes then is another plan's

    async def _run(self) -> Stopped:
        plan = Plan(PlanCore(self.store, self.time, lambda: "plan_next", "agent"))
        settings = Settings(
            limits=Limits(model_seconds=100, tool_seconds=20, tries=3),
            loop=LoopSettings(ask_unattended=True),
        )
        with LeaseHolder(LEASE) as holder:
            message = "42" if plan.questions.open() else "continue"
            place, made = PlanLocator(plan, None, None, "agent"), self.time.parts()
            options: dict[str, Any] = {"budget": self.budget, "settings": settings, "made": made}
            run = agent_run(holder, place, self.model, self.tool, **options)
            return await run.execute(message)

    def check(self) -> None:
        """Compare the real cost with the budget."""
        cost = add_spend(self.model.cost, self.tool.cost)
        cost = add_spend(cost, Spend(replans=self.store.replans))
        for what in AMOUNTS:
            limit = getattr(self.budget, what)
            if limit is not None:
                over = overshoot(cost, what, limit)
                assert not over, (self.budget, cost, what, over)


def overshoot(cost: Spend, what: str, limit: float) -> float:
    used: float = getattr(cost, what)
    return max(round(used - limit, 6), 0)


@pytest.mark.soak
@pytest.mark.slow
def test_f14_hostile_models_never_overrun_a_budget_also_across_kill_and_resume() -> None:
    kills, whys = 0, set[str]()
    for seed in range(ROUNDS):
        ordeal = Ordeal(seed)
        ordeal.play()
        kills, whys = kills + ordeal.kills, whys | set(ordeal.whys)
    assert kills > ROUNDS // 2
    assert whys >= {"budget", "limit", "waiting"}


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_f14_each_kind_of_hostile_model_is_held_by_its_budget(seed: int) -> None:
    ordeal = Ordeal(seed)
    ordeal.play()
    assert ordeal.kills or ordeal.whys


@pytest.mark.parametrize("replans", [0, 1, 7])
def test_f14_a_model_that_alternates_its_plans_is_held_by_the_replans(replans: int) -> None:
    seed = KINDS.index("alternates")
    ordeals = [Ordeal(seed + len(KINDS) * n, Budget(replans=replans)) for n in range(4)]
    for ordeal in ordeals:
        ordeal.play()
    assert {why for ordeal in ordeals for why in ordeal.whys} >= {"budget"}
    assert max(ordeal.store.replans for ordeal in ordeals) == replans
