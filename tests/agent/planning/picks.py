"""Tasks named by what they are, so that a drawn call mostly means a task that exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.agent.planning.oddities import ODDITIES, Odd

if TYPE_CHECKING:
    from tests.agent.planning.reference import Reference

Json = dict[str, Any]


@dataclass(frozen=True)
class Pick:
    """The k-th task of a kind, counted round and round; any number if there is none."""

    kind: str
    k: int
    spelling: str = ""

    def ref(self, plan: Reference) -> int | str:
        """Return the id of the task that this is now."""
        found = _of_kind(self.kind, plan)
        task_id = found[self.k % len(found)]["id"] if found else self.k + 1
        return self.spelling.format(task_id) if self.spelling else int(task_id)


def _of_kind(kind: str, plan: Reference) -> list[Json]:
    if kind == "any":
        return plan.tasks
    if kind == "executable":
        return plan.executable()
    if kind == "finished":
        return [task for task in plan.tasks if task not in plan.unfinished()]
    if kind == "retried":
        return [task for task in plan.with_status("pending") if task["retry_count"]]
    if kind == "leaf":
        needed = [d for task in plan.tasks for d in task["dependencies"]]
        return [task for task in plan.with_status("pending") if task["id"] not in needed]
    return plan.selected(kind)


def concrete(value: Any, plan: Reference) -> Any:
    """Put ids in the place of picks."""
    if isinstance(value, Pick):
        return value.ref(plan)
    if isinstance(value, list | tuple):
        return type(value)(concrete(item, plan) for item in value)
    if isinstance(value, dict):
        return {key: concrete(item, plan) for key, item in value.items()}
    return value


def true_value(value: Any) -> Any:
    """Put the oddities themselves where a call names them."""
    if isinstance(value, Odd):
        return ODDITIES[value.name]
    if isinstance(value, list | tuple):
        return type(value)(true_value(item) for item in value)
    if isinstance(value, dict):
        return {true_value(key): true_value(item) for key, item in value.items()}
    return value
