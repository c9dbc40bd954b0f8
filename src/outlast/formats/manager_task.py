"""R2's form of one task: six keys, and an extension for what they cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.domain.model import MAIN_PHASE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.domain.model import Task

EXTENSION: Final = "outlast"
Json = dict[str, Any]


def task_object(task: Task, blocked_by: Sequence[int]) -> Json:
    """Return the six keys of the document, and what else a model should know of the task."""
    made: Json = {
        "id": task.id,
        "name": task.name,
        "status": task.status,
        "dependencies": list(task.dependencies),
        "reasoning": task.reasoning,
        "result": task.result,
    }
    extension = _notable(task)
    if blocked_by:
        extension["blocked_by"] = list(blocked_by)
    if extension:
        made[EXTENSION] = extension
    return made


def _notable(task: Task) -> Json:
    """Return what a model should know of a task beyond the six keys; most tasks have nothing."""
    found: Json = {}
    if task.phase != MAIN_PHASE:
        found["phase"] = task.phase
    if task.error is not None:
        found["error"] = task.error
    if task.retry_count:
        found["retry_count"] = task.retry_count
    if task.progress:
        found["progress"] = {"current": task.progress.current, "total": task.progress.total}
    if task.how == "assumed":
        found["how"] = task.how
    if task.active_form:
        found["active_form"] = task.active_form
    if task.kind:
        found["kind"] = task.kind
    if task.checks:
        found["checks"] = [{"kind": check.kind, "rule": check.rule} for check in task.checks]
    return found
