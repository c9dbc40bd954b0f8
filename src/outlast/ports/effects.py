"""What a loop asks for, and what it is told.

A loop is a generator that does nothing itself: it yields effects and is sent replies. Whatever it
needs after a yield is in the plan, so that it can be begun anew at any time.
"""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from msgspec import Struct

from outlast.domain.budget import Budget, Spend
from outlast.domain.commands import Command
from outlast.domain.ledger import Done
from outlast.domain.model import Attempt, Interjection, PlanStatus, Question, Task
from outlast.ports.events import Event
from outlast.ports.model import Call, Message, ToolSpec, Usage
from outlast.ports.tool import Settlement

if TYPE_CHECKING:
    from outlast.errors import OutlastError

T = TypeVar("T")
HookPoint = Literal["session_start", "user_prompt", "pre_compact", "on_stop"]


class Cancelled(BaseException):
    """Thrown into a loop whose driver was cancelled; it may still yield a few effects."""


class Overtaken(Exception):
    """Another runner has taken the plan over: the loop must end without another effect."""


class Preceded(Exception):
    """Another runner has begun the plan that was to be founded, which `error` says.

    The loop must end without another effect; what it was asked for may be asked again.
    """

    def __init__(self, error: OutlastError) -> None:
        """Say what stands in the way."""
        super().__init__(error)
        self.error = error


# Effects


class Think(Struct, frozen=True):
    """Ask the model; `attempt` is filled in when it is written down, as in `Act`.

    `reserve` is what it can cost at most, of which `max_tokens` are the answer's; `planning` is how
    many characters of the request are about the plan. `seconds` is how long it may take, if that is
    less than usual.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    task: int | None = None
    attempt: str = ""
    reserve: Spend = Spend()
    max_tokens: int | None = None
    planning: int = 0
    seconds: float = 0.0


class Act(Struct, frozen=True):
    """Run a tool for a task in progress, or for the plan as a whole."""

    call: Call
    task: int | None = None
    attempt: str = ""
    reserve: Spend = Spend()


class Settle(Struct, frozen=True):
    """Find out what became of an attempt that nobody has seen the end of."""

    attempt: Attempt


class Record(Struct, frozen=True):
    """Change the plan; without commands only look at it."""

    commands: tuple[Command, ...] = ()
    reason: str = ""
    key: str = ""


class Found(Struct, frozen=True):
    """Begin a plan that is kept, where there was none or the last one has ended."""

    goal: str


class Consult(Struct, frozen=True):
    """Ask the hooks of a point; those around a tool are asked where it is run."""

    point: HookPoint
    text: str = ""


class Ask(Struct, frozen=True):
    """Ask a person who is there right now; the question is in the plan already."""

    question: Question


class Tell(Struct, frozen=True):
    """Let people know."""

    event: Event


Effect = Think | Act | Settle | Record | Found | Consult | Ask | Tell


# Replies


class PlanView(Struct, frozen=True):
    """A plan at one moment, as much of it as a loop needs, however large it is.

    `tasks` are some around the current one; `before` of all tasks stand in front of them. `already`
    is what was done lately for the current one, `in_task` how many iterations were spent in it.
    `kept` is false for the makeshift plan in memory on which a loop counts while there is no plan,
    or none that can be written: it is shown to nobody. `hold` says why a plan is paused,
    `questions` are those that wait for an answer, `answered` the last few that have one. `said` is
    what people have said since the loop last listened, `last_done` the task completed last, `actor`
    in whose name the loop works.
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
    kept: bool = True
    title: str = ""
    phase: str = ""
    hold: str = ""
    in_task: int = 0
    managed: bool = False
    stops: int = 0
    last_done: int | None = None
    questions: tuple[Question, ...] = ()
    answered: tuple[Question, ...] = ()
    said: tuple[Interjection, ...] = ()
    used: Spend = Spend()
    budget: Budget = Budget()
    actor: str = "agent"

    @property
    def ended(self) -> bool:
        """Whether there is nothing left to be done, or nothing that can be."""
        return self.status in ("completed", "failed")


class Thought(Struct, frozen=True):
    """What the model answered, or why it did not; `retry_after` seconds it may if it was busy.

    `unread` is how many calls it made with arguments that nobody can read.
    """

    now: datetime
    plan: PlanView
    text: str = ""
    calls: tuple[Call, ...] = ()
    failed: str = ""
    code: str = ""
    usage: Usage | None = None
    retry_after: float | None = None
    unread: int = 0


class Acted(Struct, frozen=True):
    """What came of a tool, or why nothing did."""

    now: datetime
    plan: PlanView
    output: str = ""
    failed: str = ""
    code: str = ""
    inject: tuple[str, ...] = ()


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


class Advised(Struct, frozen=True):
    """What the hooks of a point say, put together."""

    now: datetime
    plan: PlanView
    should_continue: bool = True
    inject: tuple[str, ...] = ()
    notification: str = ""


class Answered(Struct, frozen=True):
    """A person's answer; None if nobody can be asked now."""

    now: datetime
    plan: PlanView
    text: str | None = None


class Told(Struct, frozen=True):
    """It has been said."""

    now: datetime


Reply = Thought | Acted | Settled | Recorded | Advised | Answered | Told
Loop = Generator[Effect, Reply, T]


class Handler(Protocol):
    """Carries effects out, or wraps another that does."""

    async def handle(self, effect: Effect) -> Reply:
        """Carry an effect out; what fails is said in the reply."""


# One sub-generator an effect: `thought = yield from think(…)`


def think(
    messages: tuple[Message, ...],
    tools: tuple[ToolSpec, ...],
    task: int | None = None,
    planning: int = 0,
) -> Loop[Thought]:
    """Ask the model."""
    return _expect(Thought, (yield Think(messages, tools, task, planning=planning)))


def act(call: Call, task: int | None = None) -> Loop[Acted]:
    """Run a tool."""
    return _expect(Acted, (yield Act(call, task)))


def settle(attempt: Attempt) -> Loop[Settled]:
    """Find out what became of an attempt."""
    return _expect(Settled, (yield Settle(attempt)))


def record(*commands: Command, reason: str = "", key: str = "") -> Loop[Recorded]:
    """Change the plan, or look at it."""
    return _expect(Recorded, (yield Record(commands, reason, key)))


def found(goal: str) -> Loop[Recorded]:
    """Begin a plan that is kept."""
    return _expect(Recorded, (yield Found(goal)))


def consult(point: HookPoint, text: str = "") -> Loop[Advised]:
    """Ask the hooks of a point."""
    return _expect(Advised, (yield Consult(point, text)))


def ask(question: Question) -> Loop[Answered]:
    """Ask a person who is there."""
    return _expect(Answered, (yield Ask(question)))


def tell(event: Event) -> Loop[None]:
    """Let people know."""
    _expect(Told, (yield Tell(event)))


def _expect(kind: type[T], reply: Reply) -> T:
    if not isinstance(reply, kind):
        raise TypeError(kind, reply)
    return reply
