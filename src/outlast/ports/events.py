"""Events that a loop sends to its listener, under the names of the documents.

`lane` is empty for the main lane of a run.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, to_builtins

from outlast.domain.budget import AMOUNTS, Budget, Spend
from outlast.domain.model import PlanStatus, Question
from outlast.ports.model import Call

StopReason = Literal[
    "finished",
    "answered",
    "paused",
    "limit",
    "budget",
    "waiting",
    "unsettled",
    "model_failed",
    "cancelled",
    "dropped",
    "overtaken",
]


class Said(Struct, frozen=True, tag="message", tag_field="type"):
    """The model sent text that is not a tool call."""

    text: str
    lane: str = ""


class Streamed(Struct, frozen=True, tag="text_delta", tag_field="type"):
    """A piece of the text that the model is producing now."""

    text: str
    lane: str = ""


class CallStarted(Struct, frozen=True, tag="tool_call_start", tag_field="type"):
    """A tool call starts."""

    call: Call
    lane: str = ""


class CallEnded(Struct, frozen=True, tag="tool_call_end", tag_field="type"):
    """A tool call ended, after `duration` milliseconds. Each start has exactly one end."""

    call: Call
    output: str = ""
    error: str = ""
    duration: float = 0.0
    lane: str = ""

    @property
    def result(self) -> dict[str, Any]:
        """The result in the document's shape."""
        return {
            "tool_call_id": self.call.id,
            "success": not self.error,
            "output": self.output,
            "error": self.error,
            "duration": self.duration,
        }


class CallRefused(Struct, frozen=True, tag="tool_call_refused", tag_field="type"):
    """A hook or a missing permission refused a tool call. It did not run."""

    call: Call
    by: Literal["hook", "permission"]
    reason: str = ""
    lane: str = ""


class Todo(Struct, frozen=True, rename={"active_form": "activeForm"}):
    """One line of the model's own to-do list."""

    content: str
    status: Literal["pending", "in_progress", "completed"]
    active_form: str = ""


class TodoUpdated(Struct, frozen=True, tag="todo_update", tag_field="type"):
    """The model's own to-do list changed."""

    todos: tuple[Todo, ...]


class Notified(Struct, frozen=True, tag="notification", tag_field="type"):
    """A notice for people; `kind` is its topic."""

    text: str
    kind: str = ""


class PlanMoved(Struct, frozen=True, tag="plan_update", tag_field="type"):
    """The plan changed: its progress and the name of the current task."""

    revision: int
    status: PlanStatus
    done: int
    total: int
    current: str = ""


class Spent(Struct, frozen=True, tag="budget", tag_field="type"):
    """The amounts used so far, and their limits."""

    used: Spend
    budget: Budget


class Asked(Struct, frozen=True, tag="question", tag_field="type"):
    """A question for a person. The work waits for the answer."""

    question: Question
    lane: str = ""


class Stopped(Struct, frozen=True, tag="stopped", tag_field="type"):
    """The loop ended: the status of the plan, the reason as a word (`why`) and as text.

    `answer` is the last text of the model, or the answer to a command.
    """

    status: PlanStatus
    why: StopReason
    text: str = ""
    answer: str = ""


Event = (
    Said
    | Streamed
    | CallStarted
    | CallEnded
    | CallRefused
    | TodoUpdated
    | Notified
    | PlanMoved
    | Spent
    | Asked
    | Stopped
)


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object; the end of a call includes the document's result."""
    plain: dict[str, Any] = to_builtins(event)
    if not plain.get("lane", True):
        del plain["lane"]
    if isinstance(event, Spent):  # amounts have other names in the journal
        plain |= {"used": _by_key(event.used, 0), "budget": _by_key(event.budget, None)}
    return plain | event.result if isinstance(event, CallEnded) else plain


def _by_key(amounts: Spend | Budget, unset: int | None) -> dict[str, float]:
    return {key: value for key in AMOUNTS if (value := getattr(amounts, key)) != unset}
