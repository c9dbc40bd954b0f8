"""The contenders: each completes a task and takes the next one until its plan is finished."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import networkx as nx
import rustworkx
from mcplanmanager import PlanManager as PeerManager

from bench.graphlib_floor import sort_built, sort_only
from bench.measure import cpu_each
from bench.plans import ACTOR, NOW, RESULT, document_of, manager_of, state_of
from outlast.domain.commands import Complete, Start
from outlast.domain.execute import execute

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.plans import Dependencies
    from outlast.domain.state import PlanState

SAMPLED: Final = 10  # steps that mcplanmanager is timed for
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


def _networkx(dependencies: Dependencies) -> Callable[[], object]:
    graph = nx.DiGraph()
    graph.add_nodes_from(dependencies)
    graph.add_edges_from((d, task) for task, found in dependencies.items() for d in found)

    def work() -> None:
        waits_for = dict(graph.in_degree())
        ready = [task for task, number in waits_for.items() if not number]
        while ready:
            for dependent in graph.successors(ready.pop()):
                waits_for[dependent] -= 1
                if not waits_for[dependent]:
                    ready.append(dependent)

    return work


def _rustworkx(dependencies: Dependencies) -> Callable[[], object]:
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(list(dependencies))
    graph.add_edges_from_no_data(
        [(d - 1, task - 1) for task, found in dependencies.items() for d in found]
    )

    def work() -> None:
        sorter = rustworkx.TopologicalSorter(graph)
        ready = list(sorter.get_ready())
        while ready:
            sorter.done(ready.pop())
            ready += sorter.get_ready()

    return work


def _mcplanmanager(dependencies: Dependencies) -> Callable[[], object]:
    n = len(dependencies)
    manager = PeerManager()
    manager.loadPlan(document_of(dependencies, done=n // 2))

    def work() -> None:
        for _ in range(min(SAMPLED, n // 2)):
            manager.completeTask(manager.startNextTask()["data"]["id"], RESULT)

    return work


_LACKS: Final = "states, results, times, rules, list order, changes afterwards"

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
    _LACKS,
)
MCPLANMANAGER: Final = Contender(
    f"mcplanmanager {version('mcplanmanager')}",
    _mcplanmanager,
    f"states, results, dependencies, envelope; timed for {SAMPLED} steps from the middle of the "
    "plan, up to 1 000 tasks, since a step costs n²",
    "checks of arguments, retries, pause that holds, an actor's one task, changes as history",
    largest=1_000,
    sampled=True,
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
    Contender("graphlib, built before", sort_only, "counts down only", _LACKS),
    Contender(
        f"networkx {version('networkx')}", _networkx, "in-degrees; graph built before", _LACKS
    ),
    Contender(
        f"rustworkx {version('rustworkx')}",
        _rustworkx,
        "TopologicalSorter; graph built before",
        _LACKS,
    ),
    MCPLANMANAGER,
)
