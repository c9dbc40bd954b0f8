"""The rules of M and R2 as they show in PlanManager's own answers, after any call whatsoever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.making import state_of

if TYPE_CHECKING:
    from outlast import Plan, PlanManager
    from outlast.model.state import PlanState

Json = dict[str, Any]

FINISHED = ("completed", "skipped")
_KEYS = {"id", "name", "status", "dependencies", "reasoning", "result"}
_STATUSES = ("pending", "in_progress", "completed", "failed", "skipped")


def ask(manager: PlanManager, question: str, *arguments: object) -> Any:
    answer = getattr(manager, question)(*arguments)
    assert answer["success"] is True, answer
    assert set(answer) == {"success", "data"}
    return answer["data"]


class Rules:
    """What holds in every state, and from one state to the next."""

    def __init__(self) -> None:
        self.plan_id = ""
        self.known: set[int] = set()

    def check(self, manager: PlanManager) -> None:
        listed = ask(manager, "getTaskList")
        tasks: list[Json] = listed["tasks"]
        status = ask(manager, "getPlanStatus")
        assert listed["total"] == listed["filtered"] == len(tasks) == status["total_tasks"]
        self._ids_are_never_reused(manager.plan.id, tasks)
        by_id = {task["id"]: task for task in tasks}
        for task in tasks:
            _task_is_sound(task, by_id)
        ready = ask(manager, "getExecutableTaskList")
        assert ready["count"] == len(ready["executable_tasks"])
        sequential = manager.plan.order == "sequential"
        assert ready["executable_tasks"] == _executable(tasks, sequential=sequential)
        if sequential:
            _no_dependency_is_later(tasks)
        _counts_add_up(status, tasks)
        _plan_status_follows(status["status"], tasks, ready["count"], state_of(manager.plan))
        _current_is_own(manager, status["current_task_id"], by_id)
        _plan_is_sound(manager.plan, tasks)

    def _ids_are_never_reused(self, plan_id: str, tasks: list[Json]) -> None:
        if plan_id != self.plan_id:
            self.plan_id, self.known = plan_id, set()
        ids = [task["id"] for task in tasks]
        assert len({*ids}) == len(ids)
        new = {*ids} - self.known
        assert all(type(task) is int and task > 0 for task in new)
        highest = max(self.known, default=0)
        assert not self.known or all(task > highest for task in new), "R2.07: an id was reused"
        self.known |= new


def _task_is_sound(task: Json, by_id: dict[int, Json]) -> None:
    extension = task.get("outlast", {})
    assert set(task) - {"outlast"} == _KEYS
    assert extension or "outlast" not in task
    assert task["status"] in _STATUSES
    needs = task["dependencies"]
    assert len({*needs}) == len(needs)
    assert task["id"] not in needs
    waits = [d for d in needs if by_id[d]["status"] not in FINISHED]
    assert extension.get("blocked_by", []) == (waits if task["status"] == "pending" else [])
    assert 0 <= extension.get("retry_count", 0) <= 3
    assert 0 < len(task["name"]) <= 1000
    for text in (task["reasoning"], task["result"] or "", extension.get("error") or ""):
        assert len(text.encode()) <= 65536


def _executable(tasks: list[Json], *, sequential: bool) -> list[Json]:
    free = [t for t in tasks if t["status"] == "pending" and not _is_blocked(t)]
    if not sequential:
        return free
    first = next((t for t in tasks if t["status"] not in FINISHED), None)
    return [first] if first is not None and first["status"] == "pending" else []


def _is_blocked(task: Json) -> bool:
    return "blocked_by" in task.get("outlast", {})


def _no_dependency_is_later(tasks: list[Json]) -> None:
    seen: set[int] = set()
    for task in tasks:
        assert {*task["dependencies"]} <= seen
        seen.add(task["id"])


def _counts_add_up(status: Json, tasks: list[Json]) -> None:
    counts = {name: sum(task["status"] == name for task in tasks) for name in _STATUSES}
    assert {name: status[f"{name}_tasks"] for name in _STATUSES} == counts
    assert sum(counts.values()) == status["total_tasks"]
    assert status["blocked_tasks"] == sum(map(_is_blocked, tasks)) <= counts["pending"]
    done = counts["completed"] + counts["skipped"]
    assert type(status["progress"]) is float
    assert 0 <= status["progress"] <= 1
    assert status["progress"] == (done / len(tasks) if tasks else 0)


def _plan_status_follows(status: str, tasks: list[Json], ready: int, state: PlanState) -> None:
    states, hold = {task["status"] for task in tasks}, state.hold
    has_ended = bool(tasks) and states <= {*FINISHED} and state.assumed_end is None
    assert (status == "completed") == (has_ended and hold != "aborted")
    stuck = "failed" in states and "in_progress" not in states and not ready
    if status == "failed":
        assert stuck or hold == "aborted"
    if status in ("idle", "running"):
        assert not stuck
        assert not hold
    if status == "idle":
        assert states <= {"pending", "skipped"}
    assert (status == "paused") == (hold == "paused" and not has_ended)


def _current_is_own(manager: PlanManager, current: int | None, by_id: dict[int, Json]) -> None:
    assert ask(manager, "getCurrentTask") == (None if current is None else by_id[current])
    own = [t.id for t in manager.plan.tasks("in_progress") if t.actor == manager.plan.actor]
    assert current == (own[0] if own else None)


def _plan_is_sound(plan: Plan, tasks: list[Json]) -> None:
    assert plan.id.startswith("plan_")
    line = "".join(plan.goal.strip().splitlines()[:1]).strip()
    kept = plan.title.removesuffix("…") if len(line) > 80 else line
    assert line.startswith(kept)
    assert plan.title == (line if kept == line else f"{kept}…")
    assert 40 < len(plan.title) <= 80 or plan.title == line
    assert plan.created_at <= plan.updated_at
    current = [index for index, task in enumerate(tasks) if task["status"] == "in_progress"]
    unfinished = [index for index, task in enumerate(tasks) if task["status"] not in FINISHED]
    assert state_of(plan).current_step_index == [*current, *unfinished, len(tasks)][0]
