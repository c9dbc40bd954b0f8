"""Render one task in the form of R2: six keys, and the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.documents.json.extension import EXTENSION, task_details

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.model import Task

Json = dict[str, Any]


def task_object(task: Task, blocked_by: Sequence[int]) -> Json:
    """Return the six keys, and an extension for all else that a model should know."""
    fields, extension = task_keys(task), task_details(task)
    if blocked_by:
        extension["blocked_by"] = list(blocked_by)
    if extension:
        fields[EXTENSION] = extension
    return fields


def task_keys(task: Task) -> Json:
    """Return the six keys."""
    return {
        "id": task.id,
        "name": task.name,
        "status": task.status,
        "dependencies": list(task.needs),
        "reasoning": task.reasoning,
        "result": task.result,
    }
