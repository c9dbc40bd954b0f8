"""What a model is told when a task that it took for done is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context.escape import escape
from outlast.application.context.task_lines import NAME
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.domain.model import Task
    from outlast.texts import Language

_PROBLEM: Final = 2_000


def refusal(task: Task, problem: str, language: Language = "en") -> str:
    """Say why a task does not count as done."""
    head = text("check_refused", language, id=task.id, name=escape(task.name, NAME))
    return f"<check-result>\n{head}\n{escape(problem, _PROBLEM)}\n</check-result>"


def reopened(task: int, language: Language = "en") -> str:
    """Say that a task which counted as done is to be worked on again."""
    return text("step_reopened", language, id=task)
