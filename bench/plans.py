"""The plans that the benchmarks complete: three shapes, the same for every contender."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from outlast import PlanManager
from outlast.model.commands import AddTasks, CreatePlan, NewTask
from outlast.model.execute import execute
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Dependencies = dict[int, tuple[int, ...]]
"""From each task, counted from 1, to the earlier tasks that it waits for."""

NOW: Final = datetime(2025, 1, 1, tzinfo=UTC)
ACTOR: Final = "agent"
GOAL: Final = "Work the plan off"
RESULT: Final = "done as asked"

_LAYERS: Final = 10
_EACH: Final = 2


def chain(n: int) -> Dependencies:
    return {task: (task - 1,) if task > 1 else () for task in range(1, n + 1)}


def layered(n: int) -> Dependencies:
    """Ten layers; a task waits for two of the layer above it."""
    width = max(1, n // _LAYERS)
    chance = random.Random(1)  # noqa: S311 - the same plan in every run
    found: Dependencies = {}
    for task in range(1, n + 1):
        begin = task - (task - 1) % width
        above = range(max(1, begin - width), begin)
        found[task] = tuple(sorted(chance.sample(above, min(_EACH, len(above)))))
    return found


def wide(n: int) -> Dependencies:
    return dict.fromkeys(range(1, n + 1), ())


SHAPES: Final[Mapping[str, Callable[[int], Dependencies]]] = {
    "chain": chain,
    "layered": layered,
    "wide": wide,
}


def name_of(task: int) -> str:
    return f"Task number {task}"


def state_of(dependencies: Dependencies) -> PlanState:
    """Return the plan as the bare fold."""
    state = PlanState(NOW)
    execute(state, (CreatePlan("plan_bench", GOAL),), NOW)
    execute(state, (AddTasks(new_tasks(dependencies)),), NOW)
    return state


def manager_of(dependencies: Dependencies) -> PlanManager:
    """Return the plan behind the functions for a model."""
    manager = PlanManager(goal=GOAL, actor=ACTOR)
    manager.plan.add_all(new_tasks(dependencies))
    return manager


def new_tasks(dependencies: Dependencies) -> tuple[NewTask, ...]:
    return tuple(
        NewTask(name_of(task), peers=waits_for) for task, waits_for in dependencies.items()
    )


def document_of(dependencies: Dependencies, done: int = 0) -> dict[str, Any]:
    """Return the plan in the form that mcplanmanager loads, the first tasks already done."""
    moment = NOW.isoformat()
    return {
        "meta": {"goal": GOAL, "created_at": moment, "updated_at": moment},
        "state": {"current_task_id": None, "status": "idle"},
        "tasks": [
            {
                "id": task,
                "name": name_of(task),
                "status": "completed" if task <= done else "pending",
                "dependencies": list(waits_for),
                "reasoning": "",
                "result": RESULT if task <= done else None,
            }
            for task, waits_for in dependencies.items()
        ],
    }
