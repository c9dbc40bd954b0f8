"""The contenders: each completes a task and takes the next one until its plan is finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.graphlib_floor import sort_built, sort_only
from bench.measure import Sample, cpu_each
from bench.plans import ACTOR, NOW, RESULT, SHAPES, manager_of, state_of
from outlast.model.commands import Complete, Start
from outlast.model.execute import execute

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.plans import Dependencies
    from outlast.model.state import PlanState

    Samples = dict[tuple[str, int, str], Sample]

SAMPLED: Final = 10  # steps that mcplanmanager is timed for
OFTEN: Final = 3  # times a round, where a plan is small enough
OFTEN_UP_TO: Final = 10_000
_PAIRS: Final = 2_000  # timed together, so that a plan of ten tasks is measurable


@dataclass(frozen=True)
class Contender:
    """One way to do the work. `prepare` builds a plan and returns a function to complete it."""

    name: str
    prepare: Callable[[Dependencies], Callable[[], object]]
    does: str
    lacks: str
    largest: int = 100_000
    sampled: bool = False

    def time(self, dependencies: Dependencies) -> float:
        """Return the CPU seconds of one pair: a task completed, the next one taken."""
        n = len(dependencies)
        pairs = min(SAMPLED, n // 2) if self.sampled else n
        copies = 1 if self.sampled and n > SAMPLED * 2 else max(1, _PAIRS // n)
        return cpu_each([self.prepare(dependencies) for _ in range(copies)]) / pairs


def _decide_apply(dependencies: Dependencies) -> Callable[[], object]:
    state = state_of(dependencies)
    return lambda: _work_off(state)


def _decide_apply_built(dependencies: Dependencies) -> Callable[[], object]:
    return lambda: _work_off(state_of(dependencies))


def _work_off(state: PlanState) -> None:
    for _ in range(len(state.tasks)):
        started = execute(state, (Start(ACTOR),), NOW)[-1]
        execute(state, (Complete(started.id, ACTOR, RESULT),), NOW)  # type: ignore[union-attr]


def _plan(dependencies: Dependencies) -> Callable[[], object]:
    plan = manager_of(dependencies).plan

    def work() -> None:
        for _ in dependencies:
            plan.complete(plan.start().id, RESULT)

    return work


def _plan_manager(dependencies: Dependencies) -> Callable[[], object]:
    manager = manager_of(dependencies)

    def work() -> None:
        for _ in dependencies:
            task = manager.startNextTask()["data"]["task"]
            manager.completeTask(task["id"], RESULT)

    return work


LACKS: Final = "states, results, times, rules, list order, changes afterwards"

DECIDE_APPLY: Final = Contender(
    "outlast decide + apply",
    _decide_apply,
    "plan built before; every rule (plan active, states, dependencies, one task an actor, text "
    "limits); frozen changes as history to keep; states, results, times, counts, ready tasks in "
    "list order",
    "lock, clock, envelope",
)
PLAN: Final = Contender(
    "outlast Plan",
    _plan,
    "the same through the memory store: lock, clock, commit with author and revision",
    "past commits: the memory store keeps none",
)
PLAN_MANAGER: Final = Contender(
    "outlast PlanManager",
    _plan_manager,
    "the same with arguments read as untrusted, the task as JSON object, message, envelope",
    "past commits, as above",
)
GRAPHLIB: Final = Contender(
    "graphlib, with build",
    sort_built,
    "builds its graph, looks for a cycle, counts down; the reference of all ratios",
    LACKS,
)
CONTENDERS: Final = (
    DECIDE_APPLY,
    Contender(
        "outlast decide + apply, with build",
        _decide_apply_built,
        "the same and adds all tasks first, in one command",
        "lock, clock, envelope",
    ),
    PLAN,
    PLAN_MANAGER,
    GRAPHLIB,
    Contender("graphlib, built before", sort_only, "counts down only", LACKS),
)


def race(sizes: Sequence[int], rounds: int, contenders: Sequence[Contender]) -> Samples:
    """Time every contender on every plan it can bear, all in turn within a round."""
    plans = {(shape, n): make(n) for shape, make in SHAPES.items() for n in sizes}
    samples: Samples = {}
    for turn in range(rounds * OFTEN):
        for (shape, n), dependencies in plans.items():
            if turn % OFTEN and n > OFTEN_UP_TO:
                continue
            for contender in contenders:
                if n <= contender.largest:
                    sample = samples.setdefault((shape, n, contender.name), Sample())
                    sample.values.append(contender.time(dependencies))
    return samples
