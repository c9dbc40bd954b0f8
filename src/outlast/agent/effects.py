"""Effects that a loop yields, and the replies that it is sent.

A loop is a generator without side effects of its own. Everything that it needs after a `yield` is
in the plan, so it can be started again at any time. The base class of an effect says how it is
carried out: `Attempted`, `Instant`, `Wait`, `Probe` or `Control`.
"""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, TypeVar

from msgspec import Struct

from outlast.agent.events import Event
from outlast.agent.outcomes import (
    Acted,
    Advised,
    AgentTried,
    Answered,
    BriefText,
    Checked,
    Delegated,
    Emitted,
    Exchange,
    FoundTasks,
    JoinOutcome,
    Outline,
    PatchPreview,
    PlanEdits,
    Recorded,
    ReplanState,
    Schedule,
    Settled,
    Spawned,
    TaskPosition,
    Thought,
    UnapprovedChecks,
)
from outlast.agent.work import WorkOrder, WorkResult
from outlast.context.chat_model import Call, Message, ToolSpec
from outlast.context.plan_view import PlanView
from outlast.context.tool import SettledAttempt, Settlement
from outlast.model.budget import Spend
from outlast.model.commands import Command, NewTask
from outlast.model.model import Attempt, Question

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.errors import OutlastError

T = TypeVar("T")
O_co = TypeVar("O_co", covariant=True)
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


# Effects, by kind


class Attempted(Struct, frozen=True, kw_only=True):
    """An effect that is recorded before it runs, and whose cost is reserved.

    If its outcome is not recorded, it is unknown: it is settled, not repeated. `commands` are
    committed together with the start of the attempt, also if that is refused; those `on_start` only
    with a start. `attempt` is filled in when the attempt is recorded, `reserve` is the maximum
    cost. `timeout` is in seconds; 0 means the limit of the settings.
    """

    kind: ClassVar[Literal["think", "act", "delegate"]]

    task: int | None = None
    commands: tuple[Command, ...] = ()
    on_start: tuple[Command, ...] = ()
    attempt: str = ""
    reserve: Spend = Spend()
    timeout: float = 0.0

    def failure(self, error: str, code: str) -> Thought | Acted | Delegated:
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
    characters of the request that are about the plan. The text of one that `is_silent` is not shown
    to people as it comes.
    """

    kind = "think"

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    max_tokens: int | None = None
    planning_characters: int = 0
    is_silent: bool = False

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


class Delegate(Attempted, frozen=True):
    """Let an agent work on a task in progress."""

    kind = "delegate"

    order: WorkOrder

    def failure(self, error: str, code: str) -> Delegated:
        """Return the outcome of work that did not start, or was stopped."""
        if not self.attempt:
            return Delegated(error=error, code=code)
        return Delegated(WorkResult(error=error, code=code), self.attempt)


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


class EndSessions(Instant, frozen=True):
    """End the sessions with agents that are still open."""


class Ask(Wait, frozen=True):
    """Ask a person who is present. The question is already recorded in the plan."""

    question: Question


class Settle(Probe, frozen=True):
    """Find out how an attempt ended that a crash left open.

    `commands` are committed with its end, by how it ended. With some for `unknown` it ends as lost
    if nobody knows; else a person has to be asked.
    """

    attempt: Attempt
    commands: dict[Settlement, tuple[Command, ...]] = {}


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


class RunChecks(Probe, frozen=True):
    """Run the checks of a task."""

    task: int


class ReadSchedule(Probe, frozen=True):
    """Read which tasks could be worked on now, apart from `running` ones; at most `limit`."""

    running: tuple[int, ...]
    limit: int


class ReadPosition(Probe, frozen=True):
    """Read where the work on a task stands, and what to ask an agent next.

    If it `shares_session`, the agent goes on in the session it used last, for whatever task.
    """

    task: int
    shares_session: bool = False


class TryAgent(Probe, frozen=True):
    """Let the agent show that it can work here, before it gets a task."""


class ReadOutline(Probe, frozen=True):
    """Read all tasks of the plan."""


class ReadReplan(Probe, frozen=True):
    """Read where the replan loop stands, with what its requests need."""


class PreviewReplan(Probe, frozen=True):
    """Find out what a new list would change, if `task` were returned first.

    With `only`, tasks with other ids stay as they are.
    """

    tasks: tuple[NewTask, ...]
    task: int
    only: tuple[int, ...] | None = None


class ReadUnapproved(Probe, frozen=True):
    """Read which commands of unfinished tasks nobody has approved."""


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
    | Delegate
    | EndSessions
    | RunChecks
    | ReadSchedule
    | ReadPosition
    | TryAgent
    | ReadOutline
    | ReadReplan
    | PreviewReplan
    | ReadUnapproved
    | Spawn
    | Join
    | Emit
)


# Replies


class Reply(Struct, Generic[O_co], frozen=True):
    """What a loop is sent: the outcome of its effect, and the plan and the time right after it."""

    outcome: O_co
    plan: PlanView
    now: datetime


Loop = Generator[Effect, Reply[Any], T]


# One sub-generator per effect: `reply = yield from think(…)`


def think(  # noqa: PLR0913 - one for each field that a loop fills in
    messages: tuple[Message, ...],
    tools: tuple[ToolSpec, ...],
    task: int | None = None,
    planning_characters: int = 0,
    commands: tuple[Command, ...] = (),
    *,
    on_start: tuple[Command, ...] = (),
    is_silent: bool = False,
) -> Loop[Reply[Thought]]:
    """Ask the model; `commands` are committed with the start of the attempt, or its refusal."""
    effect = Think(
        messages,
        tools,
        planning_characters=planning_characters,
        task=task,
        commands=commands,
        on_start=on_start,
        is_silent=is_silent,
    )
    return _expect(Thought, (yield effect))


def read_edits(since: int, *, with_goal: bool = True) -> Loop[Reply[PlanEdits]]:
    """Read what people changed after a revision."""
    return _expect(PlanEdits, (yield ReadEdits(since, with_goal)))


def act(
    call: Call,
    task: int | None = None,
    *,
    is_informed: bool = False,
    on_start: tuple[Command, ...] = (),
) -> Loop[Reply[Acted]]:
    """Run a tool; `on_start` is committed with the start of the attempt."""
    return _expect(Acted, (yield Act(call, is_informed, task=task, on_start=on_start)))


def plan_tool(call: Call, task: int | None = None) -> Loop[Reply[Acted]]:
    """Call one of the plan's own tools."""
    return _expect(Acted, (yield PlanTool(call, task)))


def settle(
    attempt: Attempt, commands: dict[Settlement, tuple[Command, ...]] | None = None
) -> Loop[Reply[Settled]]:
    """Find out how an attempt ended; commit what follows from it together with its end."""
    return _expect(Settled, (yield Settle(attempt, commands or {})))


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


def delegate(order: WorkOrder, commands: tuple[Command, ...] = ()) -> Loop[Reply[Delegated]]:
    """Let an agent work on a task; it ends in its own time, or is stopped a little later."""
    effect = Delegate(order, task=order.task, commands=commands, timeout=order.timeout)
    return _expect(Delegated, (yield effect))


def end_sessions() -> Loop[Reply[Recorded]]:
    """End the sessions with agents."""
    return _expect(Recorded, (yield EndSessions()))


def run_checks(task: int) -> Loop[Reply[Checked]]:
    """Run the checks of a task."""
    return _expect(Checked, (yield RunChecks(task)))


def read_schedule(running: Iterable[int], limit: int) -> Loop[Reply[Schedule]]:
    """Read which tasks could be worked on now."""
    return _expect(Schedule, (yield ReadSchedule(tuple(running), limit)))


def read_position(task: int, *, shares_session: bool = False) -> Loop[Reply[TaskPosition]]:
    """Read where the work on a task stands."""
    return _expect(TaskPosition, (yield ReadPosition(task, shares_session)))


def try_agent() -> Loop[Reply[AgentTried]]:
    """Let the agent show that it can work here."""
    return _expect(AgentTried, (yield TryAgent()))


def read_replan() -> Loop[Reply[ReplanState]]:
    """Read where the replan loop stands."""
    return _expect(ReplanState, (yield ReadReplan()))


def read_outline() -> Loop[Reply[Outline]]:
    """Read all tasks of the plan."""
    return _expect(Outline, (yield ReadOutline()))


def preview_replan(
    tasks: tuple[NewTask, ...], task: int, only: tuple[int, ...] | None = None
) -> Loop[Reply[PatchPreview]]:
    """Find out what a new list of tasks would change."""
    return _expect(PatchPreview, (yield PreviewReplan(tasks, task, only)))


def read_unapproved() -> Loop[Reply[UnapprovedChecks]]:
    """Read which commands nobody has approved."""
    return _expect(UnapprovedChecks, (yield ReadUnapproved()))


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
