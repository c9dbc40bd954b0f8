"""What a loop asks for, and what it is told.

A loop is a generator that does nothing itself: it yields effects and is sent replies. Whatever it
needs after a yield is in the plan, so that it can be begun anew at any time.
"""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from msgspec import Struct

from outlast.domain.commands import Command
from outlast.domain.ledger import Done
from outlast.domain.model import Attempt, PlanStatus, Task
from outlast.ports.model import Call, Message, ToolSpec
from outlast.ports.tool import Settlement

T = TypeVar("T")
Why = Literal[
    "finished",
    "answered",
    "paused",
    "limit",
    "unsettled",
    "model_failed",
    "cancelled",
    "overtaken",
]


class Cancelled(BaseException):
    """Thrown into a loop whose driver was cancelled; it may still yield a few effects."""


class Overtaken(Exception):
    """Another runner has taken the plan over: the loop must end without another effect."""


# Events: what a loop lets people know


class Said(Struct, frozen=True):
    """The model has said something that is no tool call."""

    text: str


class CallStarted(Struct, frozen=True):
    """A tool begins to run."""

    call: Call


class CallEnded(Struct, frozen=True):
    """A tool has run; there is one of these for every start."""

    call: Call
    output: str = ""
    failed: str = ""


class Stopped(Struct, frozen=True):
    """The loop has ended: where the plan stands then, why, and that in words."""

    status: PlanStatus
    why: Why
    text: str = ""


Event = Said | CallStarted | CallEnded | Stopped


# Effects


class Think(Struct, frozen=True):
    """Ask the model; `attempt` is filled in when it is written down, as in `Act`."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    task: int | None = None
    attempt: str = ""


class Act(Struct, frozen=True):
    """Run a tool for a task in progress, or for the plan as a whole."""

    call: Call
    task: int | None = None
    attempt: str = ""


class Settle(Struct, frozen=True):
    """Find out what became of an attempt that nobody has seen the end of."""

    attempt: Attempt


class Record(Struct, frozen=True):
    """Change the plan; without commands only look at it."""

    commands: tuple[Command, ...] = ()
    reason: str = ""
    key: str = ""


class Tell(Struct, frozen=True):
    """Let people know."""

    event: Event


Effect = Think | Act | Settle | Record | Tell


# Replies


class PlanView(Struct, frozen=True):
    """A plan at one moment, as much of it as a loop needs, however large it is.

    `tasks` are some around the current one; `before` of all tasks stand in front of them. `already`
    is what was done lately for the current one.
    """

    goal: str
    status: PlanStatus
    revision: int
    iteration_count: int
    done: int
    total: int
    current: Task | None = None
    place: int = 0
    before: int = 0
    tasks: tuple[Task, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    already: tuple[Done, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether there is nothing left to be done, or nothing that can be."""
        return self.status in ("completed", "failed")


class Thought(Struct, frozen=True):
    """What the model answered, or why it did not."""

    now: datetime
    plan: PlanView
    text: str = ""
    calls: tuple[Call, ...] = ()
    failed: str = ""


class Acted(Struct, frozen=True):
    """What came of a tool, or why nothing did."""

    now: datetime
    plan: PlanView
    output: str = ""
    failed: str = ""


class Settled(Struct, frozen=True):
    """What became of an attempt; `by` says how that is known."""

    now: datetime
    plan: PlanView
    found: Settlement
    by: Literal["", "tool", "key"] = ""


class Recorded(Struct, frozen=True):
    """The plan after a change, or as it still is if the change was refused."""

    now: datetime
    plan: PlanView
    code: str = ""
    failed: str = ""


class Told(Struct, frozen=True):
    """It has been said."""

    now: datetime


Reply = Thought | Acted | Settled | Recorded | Told
Loop = Generator[Effect, Reply, T]


class Handler(Protocol):
    """Carries effects out, or wraps another that does."""

    async def handle(self, effect: Effect) -> Reply:
        """Carry an effect out; what fails is said in the reply."""


# One sub-generator an effect: `thought = yield from think(…)`


def think(
    messages: tuple[Message, ...], tools: tuple[ToolSpec, ...], task: int | None = None
) -> Loop[Thought]:
    """Ask the model."""
    return _expect(Thought, (yield Think(messages, tools, task)))


def act(call: Call, task: int | None = None) -> Loop[Acted]:
    """Run a tool."""
    return _expect(Acted, (yield Act(call, task)))


def settle(attempt: Attempt) -> Loop[Settled]:
    """Find out what became of an attempt."""
    return _expect(Settled, (yield Settle(attempt)))


def record(*commands: Command, reason: str = "", key: str = "") -> Loop[Recorded]:
    """Change the plan, or look at it."""
    return _expect(Recorded, (yield Record(commands, reason, key)))


def tell(event: Event) -> Loop[None]:
    """Let people know."""
    _expect(Told, (yield Tell(event)))


def _expect(kind: type[T], reply: Reply) -> T:
    if not isinstance(reply, kind):
        raise TypeError(kind, reply)
    return reply
