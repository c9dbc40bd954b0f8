"""R2 written down a second time, as plainly as can be: lists and dicts, computed from scratch.

Nothing here comes from `outlast`; the rules are those of SPEC (M and R2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.agent.planning.reference_arguments import (
    FILTERS,
    SPELLINGS,
    RefusalError,
    cut,
    number,
    read,
    refuse_arguments,
    snake,
)
from tests.agent.planning.reference_plan import FINISHED, ReferencePlan, refuse_cycle, unknown_among

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Json = dict[str, Any]
Ref = int | str


class Reference(ReferencePlan):
    """The answers that PlanManager must give; a refusal has exact details, or a test of them."""

    def answer(
        self, actor: str, tool: str, given: Sequence[object], named: Mapping[Any, object]
    ) -> Json:
        """Answer a call by either spelling of its name."""
        name = SPELLINGS[tool]
        return self.attempt(
            lambda: getattr(self, snake(name))(actor, *read(name, given, named, self.names()))
        )

    def call(self, actor: str, name: object, arguments: object) -> Json:
        """Answer `PlanManager.call`."""
        if type(name) is not str or name not in SPELLINGS or type(arguments) is not dict:
            refusal = refuse_arguments({"name", "arguments"})
            return {"success": False, "code": refusal.code, "details": refusal.details}
        return self.answer(actor, name, (), arguments)

    @staticmethod
    def attempt(action: Callable[[], object]) -> Json:
        try:
            return {"success": True, "data": action()}
        except RefusalError as refusal:
            details = refusal.details if callable(refusal.details) else cut(refusal.details)
            return {"success": False, "code": refusal.code, "details": details}

    # The flow of work

    def get_current_task(self, actor: str) -> Json | None:
        task = self.current(actor)
        return None if task is None else self.shown(task)

    def start_next_task(self, actor: str) -> Json:
        self.require_active()
        own = self.current(actor)
        if own:
            raise RefusalError("INVALID_STATUS", {"task_id": own["id"], "actor": actor})
        ready = self.executable()
        if not ready:
            raise self.nothing_to_start()
        self.start(ready[0], actor)
        message = f"Started task {ready[0]['id']}: {ready[0]['name']}"
        return {"task": self.shown(ready[0]), "message": message}

    def nothing_to_start(self) -> RefusalError:
        reason, ids = "all_done", []
        if self.unfinished():
            reason = "waiting" if self.with_status("in_progress") else "failed"
            status = "in_progress" if reason == "waiting" else "failed"
            ids = [task["id"] for task in self.with_status(status)]
        elif self.status() != "completed":
            reason, ids = "assumed", [self.assumed_end()]
        details = {"reason": reason, "ids": ids[:20], "count": len(ids)}
        return RefusalError("INVALID_STATUS", details)

    def complete_task(
        self, actor: str, task_id: Ref, result: str | None, how: str = "reported"
    ) -> Json:
        done = {"message": "Task completed successfully"}
        self.require_active()
        task = self.get(task_id)
        if task["how"] == "assumed" and how != "assumed":
            task.update(how=how, result=task["result"] if result is None else result)
            return {"task_id": task["id"], **done}
        task = self.workable(task_id)
        self.start(task, actor)
        task.update(status="completed", result=result, error=None, how=how, ended=True)
        self.completions.append(task["id"])
        return {"task_id": task["id"], **done}

    def fail_task(self, actor: str, task_id: Ref, error: str, retry: bool) -> Json:  # noqa: FBT001 - the document's third argument
        task = self.workable(task_id)
        self.start(task, actor)
        task["error"] = error
        will_retry = retry and task["retry_count"] < 3
        if will_retry:
            count = task["retry_count"] + 1
            task.update(status="pending", retry_count=count, actor="", started=False)
        else:
            task.update(status="failed", ended=True)
        return {
            "task_id": task["id"],
            "will_retry": will_retry,
            "retry_count": task["retry_count"],
            "message": "Task failed, will retry" if will_retry else "Task failed",
        }

    def require_active(self) -> None:
        if not self.tasks:
            raise RefusalError("PLAN_NOT_ACTIVE", {"reason": "empty"})
        if self.hold and self.status() != "completed":
            raise RefusalError("PLAN_NOT_ACTIVE", {"reason": self.hold})

    def workable(self, ref: Ref) -> Json:
        """Return a task in progress, or a pending one that may be started."""
        self.require_active()
        task = self.get(ref)
        if task["status"] != "in_progress":
            self.require_executable(task)
        return task

    def require_executable(self, task: Json) -> None:
        if task["status"] != "pending":
            raise RefusalError("INVALID_STATUS", _stand(task))
        if unmet := self.unmet(task):
            raise RefusalError("INVALID_STATUS", _stand(task) | {"unmet_dependencies": unmet})
        if task not in self.executable():
            first = self.unfinished()[0]["id"]
            raise RefusalError("INVALID_STATUS", _stand(task) | {"waits_for": first})

    def start(self, task: Json, actor: str) -> None:
        self.begun = True
        if task["status"] == "pending":
            task.update(status="in_progress", actor=actor, started=True)

    # Which tasks there are

    def add_task(
        self,
        _actor: str,
        name: str,
        dependencies: Sequence[Ref],
        reasoning: str,
        after: Ref | None,
        description: str,
    ) -> Json:
        predecessor = None if after is None else self.get(after)
        new = self.new_task(self.next_id, name, reasoning, self.home(predecessor))
        new["dependencies"] = self.resolve(dependencies, self.named)
        new["description"] = description
        self.place(new, predecessor)
        self.next_id += 1
        self.take_abort_back()
        return {"new_task": self.shown(new), "message": "Task added successfully"}

    def update_task(self, _actor: str, task_id: Ref, updates: Json) -> Json:
        task = self.get(task_id)
        if task["status"] not in ("pending", "failed"):
            raise RefusalError("TASK_NOT_EDITABLE", _stand(task))
        wanted = {key: value for key, value in updates.items() if value is not None}
        if "dependencies" in wanted:
            wanted["dependencies"] = self.resolve(wanted["dependencies"], self.named)
            changed = [task | wanted if other is task else other for other in self.tasks]
            refuse_cycle({other["id"]: other["dependencies"] for other in changed})
            self.refuse_later(changed)
        task.update(wanted)
        return {"updated_task": self.shown(task), "message": "Task updated successfully"}

    def skip_task(self, _actor: str, task_id: Ref, reason: str) -> Json:
        task = self.get(task_id)
        if task["status"] in FINISHED:
            raise RefusalError("INVALID_STATUS", _stand(task))
        task.update(status="skipped", result=reason or None, ended=True)
        self.take_abort_back()
        return {"task_id": task["id"], "message": f"Task skipped: {reason}"}

    def remove_task(self, _actor: str, task_id: Ref) -> Json:
        task = self.get(task_id)
        if task["status"] != "pending":
            raise RefusalError("TASK_NOT_EDITABLE", _stand(task))
        dependents = [other["id"] for other in self.tasks if task["id"] in other["dependencies"]]
        if dependents:
            details = {"task_id": task["id"], "dependents": dependents}
            raise RefusalError("INVALID_DEPENDENCY", details)
        self.tasks.remove(task)
        return {"task_id": task["id"], "message": "Task removed successfully"}

    def reopen_task(self, _actor: str, task_id: Ref, _reason: str) -> Json:
        task = self.get(task_id)
        if task["status"] not in (*FINISHED, "failed"):
            raise RefusalError("INVALID_STATUS", _stand(task))
        task.update(status="pending", result=None, retry_count=0)
        task.update(how="", actor="", started=False, ended=False)
        self.take_abort_back()
        return {"task_id": task["id"], "message": "Task reopened successfully"}

    def take_abort_back(self) -> None:
        if self.hold == "aborted":
            self.hold = ""

    # Questions

    def get_task_list(self, _actor: str, status_filter: str | None) -> Json:
        shown = [self.shown(task) for task in self.selected(status_filter)]
        return {"tasks": shown, "total": len(self.tasks), "filtered": len(shown)}

    def selected(self, status_filter: str | None) -> list[Json]:
        if status_filter is None:
            return self.tasks
        return self.blocked() if status_filter == "blocked" else self.with_status(status_filter)

    def get_plan_status(self, actor: str) -> Json:
        current = self.current(actor)
        counts = {f"{status}_tasks": len(self.selected(status)) for status in FILTERS}
        total = len(self.tasks)
        done = total - len(self.unfinished())
        return {
            "status": self.status(),
            "progress": done / total if total else 0.0,
            "current_task_id": current and current["id"],
            "total_tasks": total,
            **counts,
        }

    def get_task_by_id(self, _actor: str, task_id: Ref) -> Json:
        return {"task": self.shown(self.get(task_id))}

    def get_executable_task_list(self, _actor: str) -> Json:
        shown = [self.shown(task) for task in self.executable()]
        return {"executable_tasks": shown, "count": len(shown)}

    # The plan as a whole

    def pause_plan(self, _actor: str) -> Json:
        self.require_status("idle", "running")
        self.hold = "paused"
        return {"message": "Plan paused successfully"}

    def resume_plan(self, _actor: str) -> Json:
        self.require_status("paused")
        self.hold = ""
        return {"message": "Plan resumed successfully"}

    def require_status(self, *statuses: str) -> None:
        if self.status() not in statuses:
            raise RefusalError("INVALID_STATUS", {"status": self.status()})

    def reset_plan(self, _actor: str) -> Json:
        for task in self.tasks:
            untouched = self.new_task(task["id"], task["name"], task["reasoning"], task["phase"])
            task.update(untouched, alias=task["alias"], dependencies=task["dependencies"])
        self.begun, self.hold = False, ""
        return {"message": "Plan reset successfully", "reset_tasks": len(self.tasks)}

    def initialize_plan(self, actor: str, goal: str, tasks: Sequence[Json]) -> Json:
        ended = self.status() in ("completed", "failed")
        if self.tasks and not ended:
            status = self.status()
            raise RefusalError("INVALID_STATUS", lambda details: details["status"] == status)
        target = Reference(goal, self.order) if ended else self
        made = target.made_from(tasks)
        target.arrange(made)
        target.next_id += len(made)
        target.goal = goal
        self.__dict__.update(target.__dict__)
        shown = self.get_task_list(actor, None)["tasks"]
        message = "Plan initialized successfully"
        return {"tasks": shown, "total": len(shown), "message": message}

    def made_from(self, tasks: Sequence[Json]) -> list[Json]:
        names = [task["name"] for task in tasks]
        needs = [task.get("dependencies") or () for task in tasks]
        unknown = [ref for refs in needs for ref in refs if not _position(ref, names)]
        if unknown:
            raise RefusalError("INVALID_DEPENDENCY", unknown_among(unknown))
        made = []
        for index, task in enumerate(tasks):
            reasoning = task.get("reasoning") or ""
            new = self.new_task(self.next_id + index, task["name"], reasoning, self.home(None))
            places = dict.fromkeys(_position(ref, names) for ref in needs[index])
            new["dependencies"] = [self.next_id + place - 1 for place in places]
            made.append(new)
        refuse_cycle({task["id"]: task["dependencies"] for task in made})
        return made


def _stand(task: Json) -> Json:
    return {"task_id": task["id"], "status": task["status"]}


def _position(ref: Ref, names: Sequence[str]) -> int:
    """Return the 1-based place that a dependency of `initializePlan` names; 0 for none."""
    if ref in names:
        return names.index(str(ref)) + 1
    return number(ref) if 1 <= number(ref) <= len(names) else 0
