"""Events that a loop sends to its listener, under the names of the documents.

`lane` is empty for the main lane of a run, `task` is 0 for what belongs to no task: several tasks
may be worked on at the same time.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from msgspec import Struct, to_builtins

from outlast.context.chat_model import Call
from outlast.model.budget import AMOUNTS, Budget, Spend
from outlast.model.model import Decision, PlanStatus, Question
from outlast.plan.tools.calls import Todo
from outlast.redact.text_fields import Text

StopReason = Literal[
    "finished",
    "answered",
    "paused",
    "limit",
    "budget",
    "waiting",
    "unsettled",
    "model_failed",
    "unavailable",
    "cancelled",
    "dropped",
    "overtaken",
]


class Said(Struct, frozen=True, tag="message", tag_field="type"):
    """The model sent text that is not a tool call."""

    text: Text
    lane: str = ""
    task: int = 0


class Streamed(Struct, frozen=True, tag="text_delta", tag_field="type"):
    """A piece of the text that the model is producing now."""

    text: Text
    lane: str = ""
    task: int = 0


class CallStarted(Struct, frozen=True, tag="tool_call_start", tag_field="type"):
    """A tool call starts."""

    call: Call
    lane: str = ""
    task: int = 0


class CallEnded(Struct, frozen=True, tag="tool_call_end", tag_field="type"):
    """A tool call ended, after `duration` milliseconds. Each start has exactly one end."""

    call: Call
    output: Text = ""
    error: Text = ""
    duration: float = 0.0
    lane: str = ""
    task: int = 0

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
    reason: Text = ""
    lane: str = ""
    task: int = 0


class TodoUpdated(Struct, frozen=True, tag="todo_update", tag_field="type"):
    """The model's own to-do list changed."""

    todos: tuple[Todo, ...]


PROGRESS_NOTICE: Final = "progress"
CHANGE_NOTICE: Final = "replan"
WORK_NOTICES: Final = (PROGRESS_NOTICE, CHANGE_NOTICE)  # kinds that tell what a loop does


class Notified(Struct, frozen=True, tag="notification", tag_field="type"):
    """A notice for people; `kind` is its topic."""

    text: Text
    kind: str = ""


class PlanMoved(Struct, frozen=True, tag="plan_update", tag_field="type"):
    """The plan changed: its progress and the name of the current task."""

    revision: int
    status: PlanStatus
    done: int
    total: int
    current: Text = ""


class Spent(Struct, frozen=True, tag="budget", tag_field="type"):
    """The amounts used so far, and their limits."""

    used: Spend
    budget: Budget


class Asked(Struct, frozen=True, tag="question", tag_field="type"):
    """A question for a person. The work waits for the answer."""

    question: Question
    lane: str = ""
    task: int = 0


class WorkStarted(Struct, frozen=True, tag="agent_start", tag_field="type"):
    """An agent begins an attempt of a task; `attempt` counts those that failed before, from 1."""

    task: int
    name: Text
    agent: Text
    attempt: int = 1
    lane: str = ""


class WorkEnded(Struct, frozen=True, tag="agent_end", tag_field="type"):
    """An attempt of an agent ended: with a report, or with the `error` that prevented one.

    `status` is the agent's word, which nobody has checked yet; empty without a report. `summary`
    is the first line of its results.
    """

    task: int
    name: Text
    agent: Text
    status: Text = ""
    error: Text = ""
    summary: Text = ""
    lane: str = ""


class ChecksStarted(Struct, frozen=True, tag="checks_start", tag_field="type"):
    """The checks of a task are run after an attempt."""

    task: int
    name: Text
    lane: str = ""


class ChecksEnded(Struct, frozen=True, tag="checks_end", tag_field="type"):
    """The checks of a task have run: how many passed, and what the first failed one says.

    `error` is why they could not be run.
    """

    task: int
    name: Text
    passed: int = 0
    total: int = 0
    problem: Text = ""
    error: Text = ""
    lane: str = ""


class Decided(Struct, frozen=True, tag="decision", tag_field="type"):
    """It is decided what follows from an attempt of a task; so many tasks are finished now."""

    task: int
    name: Text
    decision: Decision
    reason: Text = ""
    by: Text = ""
    done: int = 0
    total: int = 0
    lane: str = ""


class Stopped(Struct, frozen=True, tag="stopped", tag_field="type"):
    """The loop ended: the status of the plan, the reason as a word (`why`) and as text.

    `answer` is the last text of the model, or the answer to a command.
    """

    status: PlanStatus
    why: StopReason
    text: Text = ""
    answer: Text = ""


ReplyKind = Literal[
    "answer",
    "question",
    "limit",
    "unavailable",
    "command",
    "error",
    "no_model",
    "cancelled",
    "stopped",
]


class AssistantReply(Struct, frozen=True):
    """What the assistant says to one input.

    `kind` tells what it is: the final `answer` of a task; a `question`, which the next input
    answers; the task reached its `limit`, or planning is `unavailable`; the answer to a `command`;
    an `error` of the user or of the store; there is `no_model`; the turn was `cancelled`, or
    something else `stopped` it. A task that is not over stays, and "continue" goes on with it.
    """

    text: Text
    kind: ReplyKind


class Replied(Struct, frozen=True, tag="reply", tag_field="type"):
    """The assistant has replied; the last event of a turn."""

    reply: AssistantReply


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
    | WorkStarted
    | WorkEnded
    | ChecksStarted
    | ChecksEnded
    | Decided
    | Stopped
    | Replied
)


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object; the end of a call includes the document's result."""
    plain: dict[str, Any] = to_builtins(event)
    for place in ("lane", "task"):
        if not plain.get(place, True):
            del plain[place]
    if isinstance(event, Spent):  # amounts have other names in the journal
        plain |= {"used": _by_key(event.used, 0), "budget": _by_key(event.budget, None)}
    return plain | event.result if isinstance(event, CallEnded) else plain


def _by_key(amounts: Spend | Budget, unset: int | None) -> dict[str, float]:
    return {key: value for key in AMOUNTS if (value := getattr(amounts, key)) != unset}
