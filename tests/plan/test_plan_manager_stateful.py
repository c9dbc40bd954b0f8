"""PlanManager against a naive reference model: any calls, the same answers, all rules kept."""

from __future__ import annotations

import os
import secrets
from collections import Counter
from itertools import count

import pytest
from hypothesis import HealthCheck, note, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from outlast import PlanManager
from tests.agent.planning.driver import CODES, Pair
from tests.agent.planning.vocabulary import ACTORS, PLANS, Action, Call, Native, actions
from tests.making import state_of

# The gate takes the same steps every time; a given number of steps draws new ones.
ENOUGH = 20_000
STEPS = int(os.environ.get("OUTLAST_STEPS", ENOUGH))
FIRST_SEED = secrets.randbits(64) if "OUTLAST_STEPS" in os.environ else 0
PARTS = 2  # which may run side by side
STARTS = ["graph", "sequential", "graph in phases", "sequential in phases", "foreign"]
ROUNDS = ((150, 50), (10, 250))  # runs and their length; Hypothesis remembers all of a round
ANSWERS: Counter[str] = Counter()


class Calls(RuleBasedStateMachine):
    """Any calls in any order."""

    @initialize(start=st.sampled_from(STARTS), tasks=st.sampled_from(PLANS))
    def begin(self, start: str, tasks: list[object]) -> None:
        self.pair = Pair(start)
        self.pair.do(Call(ACTORS[0], "initializePlan", ("", tasks)))
        if "phases" in start:
            self.pair.do(Native(ACTORS[0], "add_phase", ("Next", None)))
            self.pair.do(Native(ACTORS[0], "add", ("p", [], "next")))
            self.pair.do(Native(ACTORS[0], "add", ("q", [1], "next")))

    @rule(action=actions())
    def step(self, action: Action) -> None:
        ANSWERS["steps"] += 1
        concrete = self.pair.concrete(action)
        note(f"    # {concrete}")
        self.pair.do(concrete)

    def teardown(self) -> None:
        if hasattr(self, "pair"):
            ANSWERS.update(self.pair.answers)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
def test_r2_03_any_calls_are_answered_as_the_reference_answers_them(part: int) -> None:
    ANSWERS.clear()
    for number in count():
        runs, length = ROUNDS[number % len(ROUNDS)]
        left = -(-(STEPS // PARTS - ANSWERS["steps"]) // length)
        if left <= 0:
            break
        run_state_machine_as_test(
            seed(FIRST_SEED + number * PARTS + part)(Calls),
            settings=settings(
                max_examples=min(runs, left),
                stateful_step_count=length,
                deadline=None,
                database=None,
                print_blob=True,
                suppress_health_check=list(HealthCheck),
            ),
        )
    assert STEPS < ENOUGH or set(ANSWERS) >= CODES


def test_r2_04_every_code_is_reached() -> None:
    pair = Pair("graph")
    for tool, *given in (
        ("startNextTask",),  # PLAN_NOT_ACTIVE
        ("addTask", "a"),
        ("addTask", "b", [1]),
        ("addTask", 3),  # INVALID_ARGUMENT
        ("addTask", "c", [9]),  # INVALID_DEPENDENCY
        ("updateTask", 1, {"dependencies": [2]}),  # CIRCULAR_DEPENDENCY
        ("completeTask", 9, ""),  # TASK_NOT_FOUND
        ("completeTask", 2, ""),  # INVALID_STATUS
        ("startNextTask",),
        ("updateTask", 1, {"name": "d"}),  # TASK_NOT_EDITABLE
    ):
        pair.do(Call(ACTORS[0], tool, tuple(given), {}))
    assert {code: pair.answers[code] for code in CODES} == dict.fromkeys(CODES, 1)


def test_r2_04_status_and_arguments_come_before_dependencies_in_a_new_plan() -> None:
    pair = Pair("graph")
    unknown = {"name": "b", "dependencies": [9]}
    twice = {"name": "c", "dependencies": ["a"]}
    pair.do(Call(ACTORS[0], "initializePlan", ("", [unknown, {"name": "a"}, {"name": "a"}, twice])))
    pair.do(Call(ACTORS[0], "initializePlan", ("", [{"name": "a"}])))
    pair.do(Call(ACTORS[0], "initializePlan", ("", [unknown])))
    reached = ("INVALID_ARGUMENT", "", "INVALID_STATUS")
    assert [pair.answers[code] for code in reached] == [1, 1, 1]


def test_m2_a_plan_that_follows_a_sequential_one_is_held_to_the_same_rule() -> None:
    pair = Pair("sequential")
    pair.do(Call(ACTORS[0], "addTask", ("a",)))
    pair.do(Call(ACTORS[0], "completeTask", (1, "")))
    later = [{"name": "a", "dependencies": ["b"]}, {"name": "b"}]
    pair.do(Call(ACTORS[0], "initializePlan", ("", later)))
    assert pair.answers["INVALID_DEPENDENCY"] == 1


def test_r2_02_a_dependency_may_be_a_name_of_any_length() -> None:
    pair = Pair("graph")
    tasks = [{"name": "x" * 1000}, {"name": "b", "dependencies": ["x" * 1000]}]
    pair.do(Call(ACTORS[0], "initializePlan", ("", tasks)))
    assert pair.plan.task(2).needs == (1,)


@pytest.mark.parametrize(
    "left_over",
    [
        {"result": "done"},
        {"outlast": {"error": ""}},
        {"outlast": {"how": "reported"}},
        {"outlast": {"actor": "somebody"}},
        {"outlast": {"started_at": "2024-01-01T00:00:00Z"}},
        {"outlast": {"ended_at": "2024-01-01T00:00:00Z"}},
    ],
    ids=str,
)
def test_r2_08_reset_clears_what_a_document_left_on_a_pending_task(
    left_over: dict[str, object],
) -> None:
    clean = {"id": 1, "name": "a"}
    manager = PlanManager.from_dict({"tasks": [clean | left_over]})
    assert manager.call("resetPlan", {})["data"]["reset_tasks"] == 1
    assert manager.plan.task(1) == PlanManager.from_dict({"tasks": [clean]}).plan.task(1)


def test_r2_07_the_list_order_holds_after_many_inserts_at_one_place() -> None:
    pair = Pair("graph")
    pair.do(Call(ACTORS[0], "addTask", ("a",)))
    pair.do(Call(ACTORS[0], "addTask", ("z",)))
    for _ in range(40):
        pair.do(Call(ACTORS[0], "addTask", ("b", [], "", 1)))
        pair.do(Native(ACTORS[0], "move_behind", (2, 1)))
    assert [task.id for task in pair.plan.tasks()] == [1, 2, *range(42, 2, -1)]


def test_m2_the_first_unfinished_task_is_right_after_any_number_of_reopenings() -> None:
    pair = Pair("sequential")
    tasks = [{"name": "a", "dependencies": [index] if index % 3 else []} for index in range(70)]
    pair.do(Call(ACTORS[0], "initializePlan", ("", tasks)))
    pair.do(Native(ACTORS[0], "skip_all"))
    for index in range(40):
        pair.do(Call(ACTORS[0], "reopenTask", (1 + (60 - index * 37) % 70, "")))
        if index % 9 == 0:
            pair.do(Call(ACTORS[0], "addTask", ("b", [], "", 30)))
            pair.do(Call(ACTORS[0], "startNextTask"))
            pair.do(
                Call(ACTORS[0], "completeTask", (state_of(pair.plan).current_step_index + 1, ""))
            )
    pair.do(Native(ACTORS[0], "skip_all"))
    pair.do(Call(ACTORS[0], "resetPlan"))
    pair.do(Call(ACTORS[0], "startNextTask"))
    assert pair.plan.tasks("in_progress") == pair.plan.tasks()[:1]


def test_r2_05_the_next_task_is_right_after_any_number_of_attempts() -> None:
    pair = Pair("sequential")
    pair.do(Call(ACTORS[0], "initializePlan", ("", [{"name": name} for name in "abc"])))
    for _ in range(60):
        pair.do(Call(ACTORS[0], "startNextTask"))
        pair.do(Call(ACTORS[0], "failTask", (1, "")))
        pair.do(Call(ACTORS[0], "reopenTask", (1, "")))
        pair.do(
            Native(
                ACTORS[0], "move_to", (1, None, "end" if pair.plan.tasks()[0].id == 1 else "front")
            )
        )
        pair.do(Native(ACTORS[0], "order", ("graph",)))


def test_r2_03_a_refusal_is_short_for_any_plan() -> None:
    pair = Pair("graph")
    tasks = [{"name": f"{n}", "dependencies": [n - 1] if n > 1 else []} for n in range(1, 31)]
    pair.do(Call(ACTORS[0], "initializePlan", ("", tasks)))
    pair.do(Call(ACTORS[0], "updateTask", (1, {"dependencies": [30]})))
    pair.do(Call(ACTORS[0], "addTask", ("last", list(range(1, 31)))))
    pair.do(Call(ACTORS[0], "completeTask", (31, "")))
    pair.do(Native(ACTORS[0], "start", (31,)))
    reached = ("CIRCULAR_DEPENDENCY", "INVALID_STATUS")
    assert [pair.answers[code] for code in reached] == [1, 1]
