"""R2's form of one task: six keys, and an extension for what they cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.formats.json.extension import EXTENSION, notable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.domain.model import Task

Json = dict[str, Any]


def task_object(task: Task, blocked_by: Sequence[int]) -> Json:
    """Return the six keys of the document, and what else a model should know of the task."""
    made = task_keys(task)
    extension = notable(task)
    if blocked_by:
        extension["blocked_by"] = list(blocked_by)
    if extension:
        made[EXTENSION] = extension
    return made


def task_keys(task: Task) -> Json:
    """Return the six keys of the document."""
    return {
        "id": task.id,
        "name": task.name,
        "status": task.status,
        "dependencies": list(task.needs),
        "reasoning": task.reasoning,
        "result": task.result,
    }
