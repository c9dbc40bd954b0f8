"""F16: memory, files, views and databases always give the same answers and keep the same plan."""

from __future__ import annotations

import os
import secrets
from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, note, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.model.strategies import COMMANDS, Request, plans, requests
from tests.store.side_by_side import Place, SideBySide, Step, new_place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from outlast.model.commands import CreatePlan

# The gate takes the same steps every time; whoever asks for a number of steps gets new ones.
ENOUGH = 20_000
STEPS = int(os.environ.get("OUTLAST_STEPS", ENOUGH))
FIRST_SEED = secrets.randbits(64) if "OUTLAST_STEPS" in os.environ else 100
PARTS = ["simulated, rare", "simulated, eager", "real, rare", "real, eager"]
ROUNDS = ((100, 50), (5, 250))  # runs and their length; Hypothesis remembers all of a round
CODES = {
    *("", "CIRCULAR_DEPENDENCY", "CLAIM_LOST", "INVALID_ARGUMENT", "INVALID_DEPENDENCY"),
    *("INVALID_STATUS", "PHASE_NOT_FOUND", "PLAN_NOT_ACTIVE", "TASK_CLAIMED"),
    *("TASK_NOT_EDITABLE", "TASK_NOT_FOUND"),
}
steps = st.builds(
    Step,
    st.sampled_from([1, 1, 1, 2, 3]).flatmap(lambda size: st.tuples(*[requests] * size)),
    st.integers(0, 1),
    st.sampled_from(["", "", "", "new", "again", "for others"]),
    st.integers(0, 40),
    st.sampled_from([0, 1, 1, 5, 40, 100_000, -3, -90_000]),
    st.sampled_from([*["commit"] * 12, "submit", "submit", "undo", "reopen", "render"]),
)


def machine(where: Callable[[], Place], seen: Counter[str]) -> type:
    """Return the stateful test for a place."""

    class Stores(RuleBasedStateMachine):
        """Any steps in any order."""

        @initialize(plan=plans)
        def begin(self, plan: CreatePlan) -> None:
            self.pair = SideBySide(where(), plan)

        @rule(step=steps)
        def step(self, step: Step) -> None:
            seen["steps"] += 1
            code = self.pair.do(step)[0]
            note(f"    # {code}")
            seen.update((code, f"{step.how}{code and ' refused'}"))
            if not code and step.how != "undo" and step.key in ("", "new"):
                seen.update(request.kind for request in step.requests)

        def teardown(self) -> None:
            if hasattr(self, "pair"):
                self.pair.close()

    return Stores


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("part", PARTS)
def test_f16_the_same_commands_have_the_same_answers_and_leave_the_same_plan(
    part: str, ram_path: Path, eager: Callable[[], None]
) -> None:
    seen: Counter[str] = Counter()
    if part.endswith("eager"):
        eager()

    def where() -> Place:
        return new_place(ram_path, simulated=part.startswith("simulated"))

    for number in count():
        runs, length = ROUNDS[number % len(ROUNDS)]
        left = -(-(STEPS // len(PARTS) - seen["steps"]) // length)
        if left <= 0:
            break
        run_state_machine_as_test(
            seed(FIRST_SEED + number * len(PARTS) + PARTS.index(part))(machine(where, seen)),
            settings=settings(
                max_examples=min(runs, left),
                stateful_step_count=length,
                deadline=None,
                database=None,
                print_blob=True,
                suppress_health_check=list(HealthCheck),
            ),
        )
    if STEPS >= ENOUGH:
        assert set(seen) >= CODES | {"undo", "undo refused", "reopened", "rendered"}
        assert len(set(COMMANDS) & set(seen)) > 0.8 * len(COMMANDS)


def test_f16_a_few_steps_agree(ram_path: Path) -> None:
    from tests.model.strategies import PLANS  # noqa: PLC0415 - only this test asks

    for plan in PLANS:
        pair = SideBySide(new_place(ram_path, simulated=False), plan)
        for at, kind in enumerate(COMMANDS):
            key = ("", "new", "again", "for others")[at % 4]
            pair.do(Step((Request(kind, at % 7, at % 5, at % 3),), at % 2, key, at))
        for handle in (0, 1):
            pair.do(Step((), handle, how="undo"))
            pair.do(Step((), handle, how="render"))
            pair.do(Step((), handle, how="reopen", number=7))
        pair.close()
