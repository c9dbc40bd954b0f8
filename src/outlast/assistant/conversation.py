"""Classify an input to the assistant: a command, the current task, a new task (M8, R3.05)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from outlast.assistant.tasks import PendingPlanTask
from outlast.model.intents import Intent, classify_message, is_goal

if TYPE_CHECKING:
    from collections.abc import Iterable


TurnKind = Literal[
    "blank",
    "cancel",
    "answer",
    "question_gone",
    "continue",
    "message",
    "nothing_to_continue",
    "new",
]


class Turn(Struct, frozen=True):
    """What to do with an input, and the task that it is about.

    `question_gone`: the question that the user was shown is no longer open, so the input must not
    become a task, nor the answer to the question of `task`, which waits now. `message`: the input
    is about `task`, and grants it no steps. `nothing_to_continue`: there is no task that it could
    be about.
    """

    kind: TurnKind
    task: PendingPlanTask | None = None


def choose_turn(
    line: str, tasks: Iterable[PendingPlanTask], asked: str = "", question: str = ""
) -> Turn:
    """Choose what to do with an input that is no slash command.

    `tasks` are those that are not over. `asked` is the key of the task whose question was shown
    last, if no input has followed it, and `question` is what was shown.
    """
    if not line.strip():
        return Turn("blank")
    task = choose_task(tasks, asked)
    waiting = task if task is not None and task.state == "waiting" else None
    intent = classify_message(line, paused=True, question=waiting is not None)
    if intent.kind == "cancel":
        return Turn("cancel", task)
    if intent.kind == "continue" and task is not None:
        return Turn("continue", task)
    if asked and (waiting is None or (waiting.key, waiting.question_shown) != (asked, question)):
        return Turn("question_gone", waiting)
    if waiting is not None:
        return Turn("answer", waiting)
    return _choose_unasked(line, intent, task)


def _choose_unasked(line: str, intent: Intent, task: PendingPlanTask | None) -> Turn:
    """Choose what to do with an input that is no answer; a phrase is never a goal (U1)."""
    is_not_done = intent.kind == "not_done" and not is_goal(line)
    if is_not_done and task is not None:
        return Turn("message", task)
    is_phrase = is_not_done or (intent.kind == "continue" and not intent.words)
    return Turn("nothing_to_continue" if is_phrase else "new")


def choose_task(tasks: Iterable[PendingPlanTask], asked: str = "") -> PendingPlanTask | None:
    """Return the task at hand: the one that waits for an answer, else the one changed last.

    A task that another process works on comes last.
    """

    def rank(task: PendingPlanTask) -> tuple[object, ...]:
        is_waiting = task.state == "waiting"
        return task.is_free, is_waiting, task.key == asked, task.updated_at

    return max(tasks, key=rank, default=None)
