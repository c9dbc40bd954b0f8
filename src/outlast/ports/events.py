"""What a loop lets people know while it works, under the names that the documents give it."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, to_builtins

from outlast.domain.budget import Budget, Spend
from outlast.domain.model import PlanStatus, Question
from outlast.ports.model import Call

Why = Literal[
    "finished",
    "answered",
    "paused",
    "limit",
    "budget",
    "waiting",
    "unsettled",
    "model_failed",
    "cancelled",
    "overtaken",
]


class Said(Struct, frozen=True, tag="message", tag_field="type"):
    """The model has said something that is no tool call."""

    text: str


class Streamed(Struct, frozen=True, tag="text_delta", tag_field="type"):
    """A piece of what the model is saying right now."""

    text: str


class CallStarted(Struct, frozen=True, tag="tool_call_start", tag_field="type"):
    """A tool begins to run."""

    call: Call


class CallEnded(Struct, frozen=True, tag="tool_call_end", tag_field="type"):
    """A tool has run; there is one of these for every start. `duration` is in seconds."""

    call: Call
    output: str = ""
    error: str = ""
    duration: float = 0.0

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


class Todo(Struct, frozen=True, rename={"active_form": "activeForm"}):
    """One line of the list that a model keeps for itself."""

    content: str
    status: Literal["pending", "in_progress", "completed"]
    active_form: str = ""


class TodoUpdated(Struct, frozen=True, tag="todo_update", tag_field="type"):
    """The list that the model keeps for itself has changed."""

    todos: tuple[Todo, ...]


class Notified(Struct, frozen=True, tag="notification", tag_field="type"):
    """Something that people should know; `kind` is what it is about."""

    text: str
    kind: str = ""


class PlanMoved(Struct, frozen=True, tag="plan_update", tag_field="type"):
    """The plan has changed: how far it is, and at what."""

    revision: int
    status: PlanStatus
    done: int
    total: int
    current: str = ""


class Spent(Struct, frozen=True, tag="budget", tag_field="type"):
    """What has been spent so far, and what may be."""

    used: Spend
    budget: Budget


class Asked(Struct, frozen=True, tag="question", tag_field="type"):
    """A person is asked; the work waits for the answer."""

    question: Question


class Stopped(Struct, frozen=True, tag="stopped", tag_field="type"):
    """The loop has ended: where the plan stands then, why, and that in words."""

    status: PlanStatus
    why: Why
    text: str = ""


Event = (
    Said
    | Streamed
    | CallStarted
    | CallEnded
    | TodoUpdated
    | Notified
    | PlanMoved
    | Spent
    | Asked
    | Stopped
)


def shape(event: Event) -> dict[str, Any]:
    """Return an event as JSON; the end of a call has the document's result in it."""
    plain: dict[str, Any] = to_builtins(event)
    return plain | event.result if isinstance(event, CallEnded) else plain
