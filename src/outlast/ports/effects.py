"""Effects that a loop yields, and the replies that it is sent.

A loop is a generator without side effects of its own. Everything that it needs after a `yield` is
in the plan, so it can be started again at any time.
"""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from msgspec import Struct

from outlast.domain.budget import Budget, Spend
from outlast.domain.commands import Command
from outlast.domain.ledger import DoneAttempt
from outlast.domain.model import Attempt, Interjection, PlanStatus, Question, Task
from outlast.ports.events import Event
from outlast.ports.model import Call, Message, ToolSpec, Usage
from outlast.ports.tool import Settlement

if TYPE_CHECKING:
    from outlast.errors import OutlastError

T = TypeVar("T")
HookPoint = Literal["session_start", "user_prompt", "pre_compact", "on_stop"]


class Cancelled(BaseException):
    """Thrown into a loop whose driver was cancelled. The loop may still yield a few effects."""


class LeaseLost(Exception):
    """Another runner holds the plan now. The loop must end and yield no further effect."""


class CreationRaceLost(Exception):
    """Another runner created the plan first; `error` is what the store reported.

    The loop must end and yield no further effect. The caller may run the request again.
    """

    def __init__(self, error: OutlastError) -> None:
        super().__init__(error)
        self.error = error


# Effects


class Think(Struct, frozen=True):
    """Ask the model.

    `attempt` is filled in when the attempt is recorded. `reserve` is the maximum cost, `max_tokens`
    the part of it for the answer. `planning_characters` counts the characters of the request that
    are about the plan. `timeout` is in seconds; 0 means the limit of the settings.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    task: int | None = None
    attempt: str = ""
    reserve: Spend = Spend()
    max_tokens: int | None = None
    planning_characters: int = 0
    timeout: float = 0.0


class Act(Struct, frozen=True):
    """Run a tool for a task in progress, or for the plan as a whole; `attempt` as in `Think`."""

    call: Call
    task: int | None = None
    attempt: str = ""
    reserve: Spend = Spend()


class Settle(Struct, frozen=True):
    """Find out how an attempt ended that a crash left open."""

    attempt: Attempt


class Record(Struct, frozen=True):
    """Commit commands to the plan; without commands, only read it."""

    commands: tuple[Command, ...] = ()
    reason: str = ""
    key: str = ""


class CreatePlan(Struct, frozen=True):
    """Create a stored plan where there is none or the last one has ended."""

    goal: str


class Consult(Struct, frozen=True):
    """Call the hooks of a point. The hooks around a tool are called where the tool runs."""

    point: HookPoint
    text: str = ""


class Ask(Struct, frozen=True):
    """Ask a person who is present. The question is already recorded in the plan."""

    question: Question


class Emit(Struct, frozen=True):
    """Send an event to the listener."""

    event: Event


Effect = Think | Act | Settle | Record | CreatePlan | Consult | Ask | Emit


# Replies


class PlanView(Struct, frozen=True):
    """A plan at one moment, reduced to what a loop needs; its size does not depend on the plan's.

    `tasks` is a window around the current task that starts at `first_index`; `current_index` is the
    position of the current task. `recent_work` is what was done lately for it, `task_iterations`
    the iterations spent on it. `is_scratch` marks a scratch plan, which no model and no person is
    shown. `pause_reason` is filled in while the plan is paused, `questions` are the unanswered
    ones, `answered` the last few with an answer. `new_messages` are those that the loop has not
    acknowledged. `actor` is the name that the loop works under.
    """

    goal: str
    status: PlanStatus
    revision: int
    iteration_count: int
    done: int
    total: int
    current: Task | None = None
    current_index: int = 0
    first_index: int = 0
    tasks: tuple[Task, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    recent_work: tuple[DoneAttempt, ...] = ()
    is_scratch: bool = False
    title: str = ""
    phase: str = ""
    pause_reason: str = ""
    task_iterations: int = 0
    model_managed: bool = False
    stop_count: int = 0
    last_completed: int | None = None
    questions: tuple[Question, ...] = ()
    answered: tuple[Question, ...] = ()
    new_messages: tuple[Interjection, ...] = ()
    used: Spend = Spend()
    budget: Budget = Budget()
    actor: str = "agent"

    @property
    def has_ended(self) -> bool:
        """Whether the plan is completed or failed."""
        return self.status in ("completed", "failed")


class Thought(Struct, frozen=True):
    """The model's reply, or the `error` that prevented one.

    `retry_after` is in seconds and set when the model was busy. `invalid_calls` counts the calls
    whose arguments could not be parsed.
    """

    now: datetime
    plan: PlanView
    text: str = ""
    calls: tuple[Call, ...] = ()
    error: str = ""
    code: str = ""
    usage: Usage | None = None
    retry_after: float | None = None
    invalid_calls: int = 0


class Acted(Struct, frozen=True):
    """A tool's output, or the `error` that prevented one; `inject` is for the model."""

    now: datetime
    plan: PlanView
    output: str = ""
    error: str = ""
    code: str = ""
    inject: tuple[str, ...] = ()


class Settled(Struct, frozen=True):
    """How an open attempt ended; `by` is how that is known."""

    now: datetime
    plan: PlanView
    settlement: Settlement
    by: Literal["", "tool", "key"] = ""


class Recorded(Struct, frozen=True):
    """The plan after a commit, or the unchanged plan and the `error` that refused the commit."""

    now: datetime
    plan: PlanView
    code: str = ""
    error: str = ""


class Advised(Struct, frozen=True):
    """The merged results of the hooks of a point."""

    now: datetime
    plan: PlanView
    should_continue: bool = True
    inject: tuple[str, ...] = ()
    notification: str = ""


class Answered(Struct, frozen=True):
    """A person's answer; None if no person can be reached now."""

    now: datetime
    plan: PlanView
    text: str | None = None


class Emitted(Struct, frozen=True):
    """The event was sent."""

    now: datetime


Reply = Thought | Acted | Settled | Recorded | Advised | Answered | Emitted
Loop = Generator[Effect, Reply, T]


class Handler(Protocol):
    """Handles effects itself, or wraps another handler."""

    async def handle(self, effect: Effect) -> Reply:
        """Handle an effect. Failures of models, tools and commits are in the reply, not raised."""


# One sub-generator per effect: `thought = yield from think(…)`


def think(
    messages: tuple[Message, ...],
    tools: tuple[ToolSpec, ...],
    task: int | None = None,
    planning_characters: int = 0,
) -> Loop[Thought]:
    """Ask the model."""
    return _expect(
        Thought, (yield Think(messages, tools, task, planning_characters=planning_characters))
    )


def act(call: Call, task: int | None = None) -> Loop[Acted]:
    """Run a tool."""
    return _expect(Acted, (yield Act(call, task)))


def settle(attempt: Attempt) -> Loop[Settled]:
    """Find out how an attempt ended."""
    return _expect(Settled, (yield Settle(attempt)))


def record(*commands: Command, reason: str = "", key: str = "") -> Loop[Recorded]:
    """Commit commands, or read the plan."""
    return _expect(Recorded, (yield Record(commands, reason, key)))


def create_plan(goal: str) -> Loop[Recorded]:
    """Create a stored plan."""
    return _expect(Recorded, (yield CreatePlan(goal)))


def consult(point: HookPoint, text: str = "") -> Loop[Advised]:
    """Call the hooks of a point."""
    return _expect(Advised, (yield Consult(point, text)))


def ask(question: Question) -> Loop[Answered]:
    """Ask a person who is present."""
    return _expect(Answered, (yield Ask(question)))


def emit(event: Event) -> Loop[None]:
    """Send an event to the listener."""
    _expect(Emitted, (yield Emit(event)))


def _expect(kind: type[T], reply: Reply) -> T:
    if not isinstance(reply, kind):
        raise TypeError(kind, reply)
    return reply
