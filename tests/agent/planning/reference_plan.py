"""The plan of the reference model: plain data, and what the words of SPEC M mean on it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tests.agent.planning.reference_arguments import RefusalError, cut, number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.agent.planning.reference_arguments import Details

Json = dict[str, Any]
Ref = int | str

FINISHED = ("completed", "skipped")


class ReferencePlan:
    """A plan whose tasks stand in list order; every question is answered by walking them."""

    def __init__(self, goal: str = "", order: str = "graph") -> None:
        self.goal = goal
        self.order = order
        self.hold = ""
        self.begun = False
        self.next_id = 1
        self.phases = ["main"]
        self.tasks: list[Json] = []
        self.completions: list[int] = []  # the ids of completed tasks, in the order of time

    def find(self, ref: Ref) -> Json | None:
        for task in self.tasks:
            if type(ref) is str and task["alias"] == ref:
                return task
        return next((task for task in self.tasks if task["id"] == number(ref)), None)

    def get(self, ref: Ref) -> Json:
        task = self.find(ref)
        if task is None:
            raise RefusalError("TASK_NOT_FOUND", {"task_id": ref})
        return task

    def names(self) -> list[str]:
        """Return the names that may stand for an id: those that are none."""
        return [task["name"] for task in self.tasks if self.find(task["name"]) is None]

    def named(self, ref: Ref) -> Json | None:
        """Return the task that a dependency means, by its id or else by its name."""
        return self.find(ref) or next((task for task in self.tasks if task["name"] == ref), None)

    def unmet(self, task: Json) -> list[int]:
        return [d for d in task["dependencies"] if self.get(d)["status"] not in FINISHED]

    def unfinished(self) -> list[Json]:
        return [task for task in self.tasks if task["status"] not in FINISHED]

    def with_status(self, status: str) -> list[Json]:
        return [task for task in self.tasks if task["status"] == status]

    def blocked(self) -> list[Json]:
        return [task for task in self.with_status("pending") if self.unmet(task)]

    def executable(self) -> list[Json]:
        found = [task for task in self.with_status("pending") if not self.unmet(task)]
        if self.order == "sequential":
            return [task for task in found if task is self.unfinished()[0]]
        return found

    def current(self, actor: str) -> Json | None:
        own = [task for task in self.with_status("in_progress") if task["actor"] == actor]
        return own[0] if own else None

    def status(self) -> str:
        if self.hold == "aborted":
            return "failed"
        if self.tasks and not self.unfinished() and self.assumed_end() is None:
            return "completed"
        if self.hold == "paused":
            return "paused"
        if (
            self.with_status("failed")
            and not self.with_status("in_progress")
            and not self.executable()
        ):
            return "failed"
        return "running" if self.begun else "idle"

    def assumed_end(self) -> int | None:
        """Return the task completed last, if that was only assumed."""
        completed = {task["id"]: task for task in self.with_status("completed")}
        last = next((task for task in reversed(self.completions) if task in completed), None)
        return last if last is not None and completed[last]["how"] == "assumed" else None

    def shown(self, task: Json) -> Json:
        """Return a task object: the document's six keys and the extension."""
        keys = ("id", "name", "status", "dependencies", "reasoning", "result")
        made = {key: task[key] for key in keys}
        extension: Json = {}
        if task.get("description"):
            extension["description"] = task["description"]
        if task["phase"] != "main":
            extension["phase"] = task["phase"]
        if task["error"] is not None:
            extension["error"] = task["error"]
        if task["retry_count"]:
            extension["retry_count"] = task["retry_count"]
        if task["progress"]:
            extension["progress"] = task["progress"]
        if task["how"] == "assumed":
            extension["how"] = "assumed"
        if task["status"] == "pending" and self.unmet(task):
            extension["blocked_by"] = self.unmet(task)
        return made | ({"outlast": extension} if extension else {})

    # Where a task stands and what it may depend on

    def home(self, predecessor: Json | None) -> str:
        if predecessor:
            return str(predecessor["phase"])
        return "main" if "main" in self.phases else self.phases[-1]

    @staticmethod
    def new_task(task_id: int, name: str, reasoning: str, phase: str) -> Json:
        return {
            "id": task_id,
            "alias": "",
            "name": name,
            "status": "pending",
            "dependencies": [],
            "reasoning": reasoning,
            "result": None,
            "phase": phase,
            "error": None,
            "retry_count": 0,
            "progress": None,
            "how": "",
            "actor": "",
            "started": False,
            "ended": False,
        }

    def resolve(self, refs: Sequence[Ref], find: Callable[[Ref], Json | None]) -> list[int]:
        found = []
        for ref in refs:
            task = find(ref)
            if task is None:
                unknown = [other for other in refs if find(other) is None]
                raise RefusalError("INVALID_DEPENDENCY", unknown_among(unknown))
            if task["id"] not in found:
                found.append(task["id"])
        return found

    def place(self, task: Json, predecessor: Json | None) -> None:
        """Put a task that stands nowhere into the list, at the end of its phase or after one."""
        others = [other for other in self.tasks if other is not task]
        index = others.index(predecessor) + 1 if predecessor else len(others)
        others.insert(index, task)
        self.arrange(others)

    def arrange(self, tasks: list[Json]) -> None:
        """Accept a new list, phases first, if a sequential plan can be worked off in it."""
        ordered = sorted(tasks, key=lambda task: self.phases.index(task["phase"]))
        self.refuse_later(ordered)
        self.tasks = ordered

    def refuse_later(self, tasks: list[Json]) -> None:
        if self.order != "sequential":
            return
        ids = [task["id"] for task in tasks]
        later = {
            task["id"]: [d for d in task["dependencies"] if ids.index(d) > ids.index(task["id"])]
            for task in tasks
        }

        def is_one(details: Details) -> bool:
            wanted = {"task_id": details["task_id"], "later": later[details["task_id"]]}
            return bool(wanted["later"]) and details == cut(wanted)

        if any(later.values()):
            raise RefusalError("INVALID_DEPENDENCY", is_one)


def unknown_among(unknown: list[Ref]) -> Callable[[Details], bool]:
    return lambda details: (
        bool(details["unknown"])
        and all(
            any(type(ref) is type(other) and ref == other for other in unknown)
            for ref in details["unknown"]
        )
    )


def refuse_cycle(edges: Mapping[int, Sequence[int]]) -> None:
    """Strike out the tasks that wait for nothing, over and over; refuse what is left."""
    left = dict(edges)
    while free := [task for task, needs in left.items() if not any(d in left for d in needs)]:
        for task in free:
            del left[task]

    def is_cycle(details: Details) -> bool:
        cycle, count = details["cycle"], details.get("cycle_count", 0)
        steps = list(pairwise(cycle))
        closed = len(cycle) > 1 and cycle[0] == cycle[-1] and len({*cycle}) == len(steps)
        if count:
            del steps[9]  # where the list is cut
        whole = len(cycle) == 20 < count <= len(edges) + 1 if count else len(cycle) <= 20
        return closed and whole and all(after in edges[before] for before, after in steps)

    if left:
        raise RefusalError("CIRCULAR_DEPENDENCY", is_cycle)
