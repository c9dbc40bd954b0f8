"""Effects that a loop yields, their outcomes, and the replies that the loop is sent.

A loop is a generator without side effects of its own. Everything that it needs after a `yield` is
in the plan, so it can be started again at any time. The base class of an effect says how it is
carried out: `Attempted`, `Instant`, `Wait`, `Probe` or `Control`.
"""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, TypeVar

from msgspec import Struct

from outlast.domain.budget import Budget, Spend
from outlast.domain.commands import Command
from outlast.domain.ledger import DoneAttempt
from outlast.domain.model import Attempt, Interjection, PlanStatus, Question, Task
from outlast.domain.replies.markers import NamedTask
from outlast.ports.events import Event
from outlast.ports.model import Call, Message, ToolSpec, Usage
from outlast.ports.tool import Settlement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.errors import OutlastError

T = TypeVar("T")
O_co = TypeVar("O_co", covariant=True)
SettledAttempt = tuple[Attempt, Settlement]
HookPoint = Literal["session_start", "user_prompt", "pre_compact", "on_stop"]
HOOK_REFUSED: Final = "HOOK_REFUSED"  # the code of a call that a hook did not let run


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


# Outcomes


class Thought(Struct, frozen=True):
    """The model's reply, or the `error` that prevented one.

    `retry_after` is in seconds and set when the model was busy. `invalid_calls` counts the calls
    whose arguments could not be parsed.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    error: str = ""
    code: str = ""
    usage: Usage | None = None
    retry_after: float | None = None
    invalid_calls: int = 0


class Acted(Struct, frozen=True):
    """A tool's output, or the `error` that prevented one; `inject` is for the model."""

    output: str = ""
    error: str = ""
    code: str = ""
    inject: tuple[str, ...] = ()


class Settled(Struct, frozen=True):
    """How an open attempt ended; `by` is how that is known.

    Nobody has to be asked about one whose outcome is not `needed`: its task has ended.
    """

    settlement: Settlement
    by: Literal["", "tool"] = ""
    needed: bool = True


class Recorded(Struct, frozen=True):
    """The commit was made, or the `error` that refused it."""

    code: str = ""
    error: str = ""


class Advised(Struct, frozen=True):
    """The merged results of the hooks of a point."""

    should_continue: bool = True
    inject: tuple[str, ...] = ()
    notification: str = ""


class Answered(Struct, frozen=True):
    """A person's answer; None if no person can be reached now."""

    text: str | None = None


class BriefText(Struct, frozen=True):
    """What a model must know that has not seen the work on the plan."""

    text: str


class Exchange(Struct, frozen=True):
    """The model's last message and the results of its calls; empty if they are not known."""

    messages: tuple[Message, ...] = ()


class FoundTasks(Struct, frozen=True):
    """The task that each text names."""

    tasks: tuple[NamedTask, ...] = ()


class PlanEdits(Struct, frozen=True):
    """What people changed up to `revision`: one line for the model for each of the first changes.

    `more` counts the changes without a line. `saves` has one line for people for each save of a
    file.
    """

    revision: int
    lines: tuple[str, ...] = ()
    more: int = 0
    saves: tuple[str, ...] = ()


class Spawned(Struct, frozen=True):
    """The id of the new lane."""

    lane: str


class Ended(Struct, frozen=True):
    """A lane ended with the result of its loop, or with the `error` that broke it."""

    lane: str
    result: Any = None
    error: str = ""


class Waiting(Struct, frozen=True):
    """A lane waits for a person and has given its slot back."""

    lane: str


class PlanChanged(Struct, frozen=True):
    """The plan has a newer revision."""

    revision: int


class DeadlinePassed(Struct, frozen=True):
    """The deadline of a `Join` has passed."""


class Emitted(Struct, frozen=True):
    """The event was sent."""


JoinOutcome = Ended | Waiting | PlanChanged | DeadlinePassed
Outcome = (
    Thought
    | Acted
    | Settled
    | Recorded
    | Advised
    | Answered
    | BriefText
    | Exchange
    | FoundTasks
    | PlanEdits
    | Spawned
    | JoinOutcome
    | Emitted
)


# Effects, by kind


class Attempted(Struct, frozen=True, kw_only=True):
    """An effect that is recorded before it runs, and whose cost is reserved.

    If its outcome is not recorded, it is unknown: it is settled, not repeated. `commands` are
    committed together with the start of the attempt. `attempt` is filled in when the attempt is
    recorded, `reserve` is the maximum cost. `timeout` is in seconds; 0 means the limit of the
    settings.
    """

    kind: ClassVar[Literal["think", "act"]]

    task: int | None = None
    commands: tuple[Command, ...] = ()
    attempt: str = ""
    reserve: Spend = Spend()
    timeout: float = 0.0

    def failure(self, error: str, code: str) -> Thought | Acted:
        """Return the outcome of an effect that could not be carried out."""
        raise NotImplementedError


class Instant(Struct, frozen=True):
    """An effect that is not recorded as an attempt: a commit of its own is its outcome, if any."""


class Wait(Struct, frozen=True):
    """An effect that waits for a person. The lane has no slot meanwhile."""


class Probe(Struct, frozen=True):
    """An effect that may be repeated."""


class Control(Struct, frozen=True):
    """An effect that the driver carries out itself."""


class Think(Attempted, frozen=True):
    """Ask the model.

    `max_tokens` is the part of the reservation for the answer. `planning_characters` counts the
    characters of the request that are about the plan.
    """

    kind = "think"

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    max_tokens: int | None = None
    planning_characters: int = 0

    def failure(self, error: str, code: str) -> Thought:
        """Return a thought that failed."""
        return Thought(error=error, code=code)


class Act(Attempted, frozen=True):
    """Run a tool for a task in progress, or for the plan as a whole.

    `is_informed` tells that the conversation has the results of all calls before. Otherwise a call
    that had ended before it gets its recorded result once, instead of being run again.
    """

    kind = "act"

    call: Call
    is_informed: bool = False

    def failure(self, error: str, code: str) -> Acted:
        """Return an act that failed."""
        return Acted(error=error, code=code)


class PlanTool(Instant, frozen=True):
    """Call one of the plan's own tools. Its commit is its outcome."""

    call: Call
    task: int | None = None


class Record(Instant, frozen=True):
    """Commit commands to the plan; without commands, only read it.

    `can_wait` lets the commands wait for the next commit of the lane. A crash loses them. `author`
    is who asks for them, if not the actor of the lane.
    """

    commands: tuple[Command, ...] = ()
    reason: str = ""
    key: str = ""
    can_wait: bool = False
    author: str = ""


class CreatePlan(Instant, frozen=True):
    """Create a stored plan where there is none or the last one has ended."""

    goal: str


class Consult(Instant, frozen=True):
    """Call the hooks of a point. The hooks around a tool are called where the tool runs."""

    point: HookPoint
    text: str = ""


class Ask(Wait, frozen=True):
    """Ask a person who is present. The question is already recorded in the plan."""

    question: Question


class Settle(Probe, frozen=True):
    """Find out how an attempt ended that a crash left open."""

    attempt: Attempt


class ReadBrief(Probe, frozen=True):
    """Read the brief of the plan, for a conversation that starts (R0.14).

    `limit` is the iteration count at which the run would stop. `settled` are the attempts that a
    crash left open, and how they ended. The message `without` is left out, and so are messages that
    the loop has not read: both are shown after the brief.
    """

    limit: int
    settled: tuple[SettledAttempt, ...] = ()
    without: str = ""


class ReadExchange(Probe, frozen=True):
    """Read the last exchange of an earlier run from the plan's transcript."""


class ReadEdits(Probe, frozen=True):
    """Read what people changed after a revision; edits in the plan's views are applied first.

    Without `with_goal` a changed goal is left out.
    """

    since: int
    with_goal: bool = True


class FindTasks(Probe, frozen=True):
    """Find the tasks that texts name: a plan may have more tasks than its view."""

    texts: tuple[str, ...]


class Spawn(Control, frozen=True):
    """Run a loop on a new lane, for a task or for the plan as a whole.

    `actor` is who works there; of a task, `<actor of the run>/<task>` if it is not given. The lane
    starts as soon as the run has a free slot for it.
    """

    loop: Any  # a `Loop`
    task: int | None = None
    actor: str = ""


class Join(Control, frozen=True):
    """Wait until a lane ends or waits for a person, the plan changes, or the deadline passes.

    The plan counts as changed at a revision above `since_revision`; None ignores its changes.
    """

    lanes: tuple[str, ...]
    since_revision: int | None = None
    deadline: datetime | None = None


class Emit(Control, frozen=True):
    """Send an event to the listener."""

    event: Event


ToolCall = Act | PlanTool
Effect = (
    Think
    | Act
    | PlanTool
    | Record
    | CreatePlan
    | Consult
    | Ask
    | Settle
    | ReadBrief
    | ReadExchange
    | ReadEdits
    | FindTasks
    | Spawn
    | Join
    | Emit
)


# Replies


class PlanView(Struct, frozen=True):
    """A plan at one moment, reduced to what a loop needs; its size does not depend on the plan's.

    `tasks` is a window around the current task that starts at `first_index`; `current_index` is the
    position of the current task. `recent_work` is what was done lately for it, `task_iterations`
    the iterations spent on it. `is_scratch` marks a scratch plan, which no model and no person is
    shown. `pause_reason` is filled in while the plan is paused, `questions` are the unanswered
    ones, `begin_answer` is the last answer to the question whether to begin. `new_messages` are
    those that the loop has not acknowledged. `actor` is the name that the loop works under.
    `next_ready` is the first task that could start now. `unmet_needs` are, by task of the window,
    the unfinished tasks that it needs. `assumed_end` is the task whose assumed completion has to be
    confirmed before the plan ends. One that `needs_approval` may only be planned. `seen_revision`
    is the revision up to which the model knows what people changed; 0 before the first request. If
    it `may_be_edited`, others may have changed it since `ReadEdits`. `id` tells plans apart.
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
    begin_answer: str = ""
    new_messages: tuple[Interjection, ...] = ()
    used: Spend = Spend()
    budget: Budget = Budget()
    actor: str = "agent"
    next_ready: Task | None = None
    unmet_needs: dict[int, tuple[int, ...]] = {}
    assumed_end: Task | None = None
    needs_approval: bool = False
    seen_revision: int = 0
    may_be_edited: bool = True
    id: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether the plan is completed or failed."""
        return self.status in ("completed", "failed")


class Reply(Struct, Generic[O_co], frozen=True):
    """What a loop is sent: the outcome of its effect, and the plan and the time right after it."""

    outcome: O_co
    plan: PlanView
    now: datetime


Loop = Generator[Effect, Reply[Any], T]


# One sub-generator per effect: `reply = yield from think(…)`


def think(
    messages: tuple[Message, ...],
    tools: tuple[ToolSpec, ...],
    task: int | None = None,
    planning_characters: int = 0,
    commands: tuple[Command, ...] = (),
) -> Loop[Reply[Thought]]:
    """Ask the model; `commands` are committed with the start of the attempt."""
    effect = Think(
        messages,
        tools,
        planning_characters=planning_characters,
        task=task,
        commands=commands,
    )
    return _expect(Thought, (yield effect))


def read_edits(since: int, *, with_goal: bool = True) -> Loop[Reply[PlanEdits]]:
    """Read what people changed after a revision."""
    return _expect(PlanEdits, (yield ReadEdits(since, with_goal)))


def act(call: Call, task: int | None = None, *, is_informed: bool = False) -> Loop[Reply[Acted]]:
    """Run a tool."""
    return _expect(Acted, (yield Act(call, is_informed, task=task)))


def plan_tool(call: Call, task: int | None = None) -> Loop[Reply[Acted]]:
    """Call one of the plan's own tools."""
    return _expect(Acted, (yield PlanTool(call, task)))


def settle(attempt: Attempt) -> Loop[Reply[Settled]]:
    """Find out how an attempt ended."""
    return _expect(Settled, (yield Settle(attempt)))


def record(
    *commands: Command, reason: str = "", key: str = "", can_wait: bool = False, author: str = ""
) -> Loop[Reply[Recorded]]:
    """Commit commands, or read the plan."""
    return _expect(Recorded, (yield Record(commands, reason, key, can_wait, author)))


def create_plan(goal: str) -> Loop[Reply[Recorded]]:
    """Create a stored plan."""
    return _expect(Recorded, (yield CreatePlan(goal)))


def consult(point: HookPoint, text: str = "") -> Loop[Reply[Advised]]:
    """Call the hooks of a point."""
    return _expect(Advised, (yield Consult(point, text)))


def ask(question: Question) -> Loop[Reply[Answered]]:
    """Ask a person who is present."""
    return _expect(Answered, (yield Ask(question)))


def read_brief(
    limit: int, settled: Iterable[SettledAttempt] = (), without: str = ""
) -> Loop[Reply[BriefText]]:
    """Read the brief of the plan."""
    return _expect(BriefText, (yield ReadBrief(limit, tuple(settled), without)))


def read_exchange() -> Loop[Reply[Exchange]]:
    """Read the last exchange of an earlier run."""
    return _expect(Exchange, (yield ReadExchange()))


def find_tasks(texts: Iterable[str]) -> Loop[Reply[FoundTasks]]:
    """Find the tasks that texts name."""
    return _expect(FoundTasks, (yield FindTasks(tuple(texts))))


def spawn(loop: Loop[Any], task: int | None = None, actor: str = "") -> Loop[Reply[Spawned]]:
    """Run a loop on a new lane."""
    return _expect(Spawned, (yield Spawn(loop, task, actor)))


def join(
    lanes: tuple[str, ...], since_revision: int | None = None, deadline: datetime | None = None
) -> Loop[Reply[JoinOutcome]]:
    """Wait for lanes, the plan or a deadline."""
    reply = yield Join(lanes, since_revision, deadline)
    if not isinstance(reply.outcome, JoinOutcome):
        raise TypeError(JoinOutcome, reply)
    return reply


def emit(event: Event) -> Loop[None]:
    """Send an event to the listener."""
    _expect(Emitted, (yield Emit(event)))


def _expect(kind: type[T], reply: Reply[Any]) -> Reply[T]:
    if not isinstance(reply.outcome, kind):
        raise TypeError(kind, reply)
    return reply
