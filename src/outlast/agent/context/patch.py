"""A replan as a diff: what stays, changes, goes and comes, by id, with the reasons (X7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.context.escape import one_line
from outlast.context.summary import NAME
from outlast.documents.change_words import FIELD_TEXTS
from outlast.language import Language, text
from outlast.model.decide.replan import Patch, changed_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.model import Task

_REASON_CHARACTERS: Final = 200


def describe_patch(patch: Patch, language: Language) -> str:
    """Return one line for each task that changes; those that stay as they are have none."""
    return "\n".join(_lines(patch, language))


def _lines(patch: Patch, language: Language) -> Iterator[str]:
    for task in patch.removed:
        yield f"- {_task_name(task)}"
    for task in patch.planned:
        old = patch.old.get(task.id)
        if old is None:
            yield f"+ {_task_name(task)}{_needs(task, language)}{_reason(task)}"
        elif fields := changed_fields(old, task):
            names = [text(FIELD_TEXTS[field], language) for field in fields if field != "reasoning"]
            what = text("patch_changed", language, fields=names) if names else ""
            yield f"~ {_task_name(task)}{what}{_reason(task)}"


def _task_name(task: Task) -> str:
    return f"{task.id} {one_line(task.name, NAME)}"


def _needs(task: Task, language: Language) -> str:
    return text("patch_needs", language, tasks=list(task.needs)) if task.needs else ""


def _reason(task: Task) -> str:
    return f": {one_line(task.reasoning, _REASON_CHARACTERS)}" if task.reasoning else ""
