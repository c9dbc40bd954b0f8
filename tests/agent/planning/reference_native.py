"""What `Plan` can do beyond the seventeen functions, for the reference model."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.agent.planning.reference import Reference
from tests.agent.planning.reference_arguments import RefusalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Json = dict[str, Any]
Ref = int | str


class NativeReference(Reference):
    """The reference with phases, moves, a changeable order, abort and progress."""

    def native(self, actor: str, operation: str, arguments: Sequence[Any]) -> Json:
        return self.attempt(lambda: getattr(self, f"native_{operation}")(actor, *arguments))

    def native_abort(self, _actor: str) -> None:
        self.require_status("idle", "running", "paused")
        self.hold = "aborted"

    def native_skip_all(self, actor: str) -> None:
        for task in self.unfinished():
            self.skip_task(actor, task["id"], "")

    def native_order(self, _actor: str, order: str) -> None:
        before, self.order = self.order, order
        try:
            self.refuse_later(self.tasks)
        except RefusalError:
            self.order = before
            raise

    def native_start(self, actor: str, ref: Ref) -> None:
        self.require_active()
        task = self.get(ref)
        self.require_executable(task)
        self.start(task, actor)

    def native_assume(self, actor: str, ref: Ref) -> None:
        with self._open_for_people(actor):
            task, reached = self.workable(ref), self.workable(ref)["progress"]
            if reached and reached["current"] < reached["total"]:
                raise RefusalError(
                    "INVALID_STATUS", lambda details: details["task_id"] == task["id"]
                )
            self.complete_task(actor, ref, None, "assumed")

    def native_complete(self, actor: str, ref: Ref) -> None:
        with self._open_for_people(actor):
            self.complete_task(actor, ref, None)

    @contextmanager
    def _open_for_people(self, actor: str) -> Iterator[None]:
        """Let a person finish tasks of a paused plan, which stays paused (R2.08)."""
        hold = self.hold
        if (actor, hold) == ("human", "paused"):
            self.hold = ""
        try:
            yield
        finally:
            self.hold = hold

    def native_progress(self, _actor: str, ref: Ref, current: int, total: int) -> None:
        task = self.get(ref)
        if task in self.unfinished():
            task["progress"] = {"current": current, "total": total}
        else:
            details = {"task_id": task["id"], "status": task["status"]}
            raise RefusalError("INVALID_STATUS", details)

    # Phases

    def native_add_phase(self, _actor: str, title: str, after: str | None) -> None:
        index = len(self.phases) if after is None else self.phase_index(after) + 1
        self.phases.insert(index, self.unused(title.lower()))

    def unused(self, base: str) -> str:
        names = [base, *(f"{base}-{number}" for number in range(2, len(self.phases) + 2))]
        return next(name for name in names if name not in self.phases)

    def native_move_phase(self, _actor: str, phase: str, after: str | None) -> None:
        self.phase_index(phase)
        if phase == after:
            raise RefusalError("INVALID_ARGUMENT", lambda details: details["phase"] == phase)
        before = self.phases
        rest = [other for other in before if other != phase]
        index = 0 if after is None else self.phase_index(after, rest) + 1
        self.phases = [*rest[:index], phase, *rest[index:]]
        try:
            self.arrange(self.tasks)
        except RefusalError:
            self.phases = before
            raise

    def native_remove_phase(self, _actor: str, phase: str) -> None:
        self.phase_index(phase)
        tasks = [task["id"] for task in self.tasks if task["phase"] == phase]
        if tasks:
            raise RefusalError("INVALID_STATUS", {"phase": phase, "tasks": tasks})
        if self.phases == [phase]:
            raise RefusalError("INVALID_STATUS", {"phase": phase})
        self.phases.remove(phase)

    def phase_index(self, phase: str, phases: Sequence[str] | None = None) -> int:
        if phase not in self.phases:
            known = list(self.phases)
            raise RefusalError("PHASE_NOT_FOUND", {"phase": phase, "known": known})
        return (phases or self.phases).index(phase)

    # Tasks in phases

    def native_add(self, _actor: str, name: str, dependencies: Sequence[Ref], phase: str) -> None:
        self.phase_index(phase)
        new = self.new_task(self.next_id, name, "", phase)
        new["dependencies"] = self.resolve(dependencies, self.find)
        self.place(new, None)
        self.next_id += 1
        self.take_abort_back()

    def native_move_behind(self, _actor: str, ref: Ref, after: Ref) -> None:
        task, predecessor = self.get(ref), self.get(after)
        if task is predecessor:
            raise RefusalError("INVALID_ARGUMENT", lambda details: details["task_id"] == task["id"])
        rest = [other for other in self.tasks if other is not task]
        index = rest.index(predecessor) + 1
        self.resettle(task, predecessor["phase"], [*rest[:index], task, *rest[index:]])

    def native_move_to(self, _actor: str, ref: Ref, phase: str | None, end: str) -> None:
        task = self.get(ref)
        home = task["phase"] if phase is None else self.phases[self.phase_index(phase)]
        rest = [other for other in self.tasks if other is not task]
        self.resettle(task, home, [task, *rest] if end == "front" else [*rest, task])

    def resettle(self, task: Json, phase: str, tasks: list[Json]) -> None:
        before = task["phase"]
        task["phase"] = phase
        try:
            self.arrange(tasks)
        except RefusalError:
            task["phase"] = before
            raise
