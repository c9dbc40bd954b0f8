"""Effects that a loop yields, and their outcomes, which it is sent in a reply.

A loop is a generator without side effects of its own. Everything that it needs after a `yield` is
in the plan, so it can be started again at any time. The base class of an effect says how it is
carried out: `Attempted`, `Instant`, `Wait`, `Probe` or `Control`. In brackets is its outcome.
"""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, TypeVar, get_args

from msgspec import Struct

from outlast.agent.events import Event
from outlast.agent.work import WorkOrder, WorkResult
from outlast.context.chat_model import Call, Message, ToolSpec, Usage
from outlast.context.plan_view import PlanView
from outlast.context.tool import SettledAttempt, Settlement
from outlast.model.budget import Spend
from outlast.model.commands import Command, NewTask
from outlast.model.markers import NamedTask
from outlast.model.model import (
    Attempt,
    Check,
    Interjection,
    Proof,
    Question,
    Task,
    TaskDecision,
    TaskReport,
)
from outlast.model.replan_position import Observation, ReplanPosition

if TYPE_CHECKING:
    from outlast.errors import OutlastError

T = TypeVar("T")
O_co = TypeVar("O_co", bound="Outcome", covariant=True)
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


class Outcome(Struct, frozen=True):
    """What a loop gets to know after it has yielded an effect."""


class Reply(Struct, Generic[O_co], frozen=True):
    """What a loop is sent: the outcome of its effect, and the plan and the time right after it.

    `seconds` are those of a clock that never jumps, to measure how long something takes.
    """

    outcome: O_co
    plan: PlanView
    now: datetime
    seconds: float = 0.0


class _Effect(Struct, Generic[O_co], frozen=True):
    """What a loop yields, and gets a reply for: `reply = yield from effect`."""

    __orig_bases__: ClassVar[tuple[type, ...]]

    def __iter__(self) -> Generator[Effect, Reply[Any], Reply[O_co]]:
        reply = yield self
        if not isinstance(reply.outcome, self._outcome_type()):
            raise TypeError(self._outcome_type(), reply)
        return reply

    @classmethod
    def _outcome_type(cls) -> Any:  # noqa: ANN401 - a class, or a union of some
        """Return the type in brackets."""
        return get_args(cls.__orig_bases__[0])[0]


Effect = _Effect[Any]
Loop = Generator[Effect, Reply[Any], T]


# How an effect is carried out


class Attempted(_Effect[O_co], frozen=True, kw_only=True):
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

    def failure(self, error: str, code: str) -> O_co:
        """Return the outcome of an effect that could not be carried out."""
        failed: O_co = self._outcome_type()(error=error, code=code)
        return failed


class Instant(_Effect[O_co], frozen=True):
    """An effect that is not recorded as an attempt: a commit of its own is its outcome, if any."""


class Wait(_Effect[O_co], frozen=True):
    """An effect that waits for a person. The lane has no slot meanwhile."""


class Probe(_Effect[O_co], frozen=True):
    """An effect that may be repeated."""


class Control(_Effect[O_co], frozen=True):
    """An effect that the driver carries out itself."""


# Ask the model, run tools, let agents work


class Thought(Outcome, frozen=True):
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


class Think(Attempted[Thought], frozen=True):
    """Ask the model.

    `max_tokens` is the part of the reservation for the answer. `planning_characters` counts the
    characters of the request that are about the plan. The text of one that `is_silent` is not shown
    to people as it comes. With `keeps_words`, what the reply says about the task is recorded for
    its result.
    """

    kind = "think"

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    max_tokens: int | None = None
    planning_characters: int = 0
    is_silent: bool = False
    keeps_words: bool = False


class Acted(Outcome, frozen=True):
    """A tool's output, or the `error` that prevented one; `inject` is for the model."""

    output: str = ""
    error: str = ""
    code: str = ""
    inject: tuple[str, ...] = ()


class Act(Attempted[Acted], frozen=True):
    """Run a tool for a task in progress, or for the plan as a whole.

    `is_informed` tells that the conversation has the results of all calls before. Otherwise a call
    that had ended before it gets its recorded result once, instead of being run again.
    """

    kind = "act"

    call: Call
    is_informed: bool = False


class PlanTool(Instant[Acted], frozen=True):
    """Call one of the plan's own tools. Its commit is its outcome."""

    call: Call
    task: int | None = None


ToolCall = Act | PlanTool


class Delegated(Outcome, frozen=True):
    """How an agent ended its attempt, or the `error` that prevented it from starting."""

    result: WorkResult = WorkResult()
    attempt: str = ""
    error: str = ""
    code: str = ""


class Delegate(Attempted[Delegated], frozen=True):
    """Let an agent work on a task in progress."""

    kind = "delegate"

    order: WorkOrder

    def failure(self, error: str, code: str) -> Delegated:
        """Return the outcome of work that did not start, or was stopped."""
        if not self.attempt:
            return Delegated(error=error, code=code)
        return Delegated(WorkResult(error=error, code=code), self.attempt)


class AgentTried(Outcome, frozen=True):
    """Whether the agent can work here; `error` is why not, and what to do."""

    error: str = ""


class TryAgent(Probe[AgentTried], frozen=True):
    """Let the agent show that it can work here, before it gets a task."""


class Settled(Outcome, frozen=True):
    """How an open attempt ended; `by` is how that is known.

    Nobody has to be asked about one whose outcome is not `needed`: its task has ended. `spent` is
    its cost, if that is known.
    """

    settlement: Settlement
    by: Literal["", "tool", "session", "check"] = ""
    needed: bool = True
    spent: Spend | None = None


class Settle(Probe[Settled], frozen=True):
    """Find out how an attempt ended that a crash left open.

    `commands` are committed with its end, by how it ended. With some for `unknown` it ends as lost
    if nobody knows; else a person has to be asked.
    """

    attempt: Attempt
    commands: dict[Settlement, tuple[Command, ...]] = {}


# Change the plan, read it


class Recorded(Outcome, frozen=True):
    """The commit was made, or the `error` that refused it."""

    code: str = ""
    error: str = ""


class Record(Instant[Recorded], frozen=True):
    """Commit commands to the plan; without commands, only read it.

    `can_wait` lets the commands wait for the next commit of the lane. A crash loses them. `author`
    is who asks for them, if not the actor of the lane.
    """

    commands: tuple[Command, ...] = ()
    reason: str = ""
    key: str = ""
    can_wait: bool = False
    author: str = ""


def record(
    *commands: Command, reason: str = "", key: str = "", can_wait: bool = False, author: str = ""
) -> Record:
    """Return the effect that commits commands, or reads the plan."""
    return Record(commands, reason, key, can_wait, author)


class CreatePlan(Instant[Recorded], frozen=True):
    """Create a stored plan where there is none or the last one has ended."""

    goal: str


class EndSessions(Instant[Recorded], frozen=True):
    """End the sessions with agents that are still open."""


class BriefText(Outcome, frozen=True):
    """What a model must know that has not seen the work on the plan."""

    text: str


class ReadBrief(Probe[BriefText], frozen=True):
    """Read the brief of the plan, for a conversation that starts (R0.14).

    `limit` is the iteration count at which the run would stop. `settled` are the attempts that a
    crash left open, and how they ended. The message `without` is left out, and so are messages that
    the loop has not read: both are shown after the brief.
    """

    limit: int
    settled: tuple[SettledAttempt, ...] = ()
    without: str = ""


class Exchange(Outcome, frozen=True):
    """The model's last message and the results of its calls; empty if they are not known."""

    messages: tuple[Message, ...] = ()


class ReadExchange(Probe[Exchange], frozen=True):
    """Read the last exchange of an earlier run from the plan's transcript."""


class PlanEdits(Outcome, frozen=True):
    """What people changed up to `revision`: one line for the model for each of the first changes.

    `more` counts the changes without a line. `saves` has one line for people for each save of a
    file.
    """

    revision: int
    lines: tuple[str, ...] = ()
    more: int = 0
    saves: tuple[str, ...] = ()


class ReadEdits(Probe[PlanEdits], frozen=True):
    """Read what people changed after a revision; edits in the plan's views are applied first.

    Without `with_goal` a changed goal is left out.
    """

    since: int
    with_goal: bool = True


class FoundTasks(Outcome, frozen=True):
    """The task that each text names."""

    tasks: tuple[NamedTask, ...] = ()


class FindTasks(Probe[FoundTasks], frozen=True):
    """Find the tasks that texts name: a plan may have more tasks than its view."""

    texts: tuple[str, ...]


class Outline(Outcome, frozen=True):
    """All tasks of the plan, in list order."""

    tasks: tuple[Task, ...] = ()


class ReadOutline(Probe[Outline], frozen=True):
    """Read all tasks of the plan."""


class ReadyTask(Struct, frozen=True):
    """A task that an agent can work on now: in progress already, or ready to start."""

    id: int
    files: tuple[str, ...] = ()
    is_begun: bool = False


class Schedule(Outcome, frozen=True):
    """The tasks that could be worked on, those with the longest remaining path first.

    `claimed` are the tasks in progress that are other actors', `asked` those about which a question
    is open.
    """

    ready: tuple[ReadyTask, ...] = ()
    claimed: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()


class ReadSchedule(Probe[Schedule], frozen=True):
    """Read which tasks could be worked on now, apart from `running` ones; at most `limit`."""

    running: tuple[int, ...]
    limit: int


class TaskPosition(Outcome, frozen=True):
    """Where the work on a task stands: its last report since it was started, and what was decided.

    `order` asks for the next attempt. `is_open` is false once the task has ended. `question` was
    asked about the task, and nothing has followed from it or from its answer yet.
    """

    task: Task
    order: WorkOrder
    report: TaskReport | None = None
    decision: TaskDecision | None = None
    is_open: bool = True
    question: Question | None = None


class ReadPosition(Probe[TaskPosition], frozen=True):
    """Read where the work on a task stands, and what to ask an agent next.

    If it `shares_session`, the agent goes on in the session it used last, for whatever task.
    """

    task: int
    shares_session: bool = False


class Clarification(Struct, frozen=True):
    """A question that a person has answered."""

    question: str
    answer: str


class ReplanState(Outcome, frozen=True):
    """Where the replan loop stands, with what its requests need.

    `items` are the tasks of its present list, `finished` the names of all that are done.
    `clarifications` are the questions that were answered, `messages` what people said besides. A
    `question` waits for its answer. `review` is the last question about a new list. The next task
    that is added gets the id `next_id`.
    """

    goal: str
    position: ReplanPosition
    items: tuple[Task, ...] = ()
    finished: tuple[str, ...] = ()
    observations: tuple[Observation, ...] = ()
    clarifications: tuple[Clarification, ...] = ()
    messages: tuple[Interjection, ...] = ()
    question: Question | None = None
    review: Question | None = None
    next_id: int = 1

    @property
    def item(self) -> Task | None:
        """The task that the loop works on."""
        at = self.position.cursor
        return self.items[at] if at < len(self.items) else None


class ReadReplan(Probe[ReplanState], frozen=True):
    """Read where the replan loop stands, with what its requests need."""


class PatchPreview(Outcome, frozen=True):
    """What a new list of tasks would change, as `text`; or the `error` that refuses it."""

    text: str = ""
    error: str = ""


class PreviewReplan(Probe[PatchPreview], frozen=True):
    """Find out what a new list would change, if `task` were returned first.

    With `only`, tasks with other ids stay as they are.
    """

    tasks: tuple[NewTask, ...]
    task: int
    only: tuple[int, ...] | None = None


# Checks, hooks and people


class Checked(Outcome, frozen=True):
    """What the checks of a task show now; `proof` completes the task.

    `problem` says which checks fail, `output` also what they wrote. A task without checks has no
    proof. `error` is why they could not be run. `strays` are files that were changed although the
    task does not name them.
    """

    is_green: bool = True
    problem: str = ""
    output: str = ""
    proof: Proof | None = None
    error: str = ""
    code: str = ""
    strays: tuple[str, ...] = ()

    @property
    def is_unknown(self) -> bool:
        """Whether the checks show neither that the task is done nor that it is not."""
        return self.proof is not None and self.proof.is_unknown


class RunChecks(Probe[Checked], frozen=True):
    """Run the checks of a task."""

    task: int


class UnapprovedChecks(Outcome, frozen=True):
    """The commands of unfinished tasks that nobody has approved."""

    checks: tuple[Check, ...] = ()


class ReadUnapproved(Probe[UnapprovedChecks], frozen=True):
    """Read which commands of unfinished tasks nobody has approved."""


class Advised(Outcome, frozen=True):
    """The merged results of the hooks of a point."""

    should_continue: bool = True
    inject: tuple[str, ...] = ()
    notification: str = ""


class Consult(Instant[Advised], frozen=True):
    """Call the hooks of a point. The hooks around a tool are called where the tool runs."""

    point: HookPoint
    text: str = ""


class Answered(Outcome, frozen=True):
    """A person's answer; None if no person can be reached now.

    It `is_recorded` if it was given elsewhere, such as by `outlast answer`.
    """

    text: str | None = None
    is_recorded: bool = False


class Ask(Wait[Answered], frozen=True):
    """Ask a person who is present. The question is already recorded in the plan."""

    question: Question


class Emitted(Outcome, frozen=True):
    """The event was sent."""


class Emit(Control[Emitted], frozen=True):
    """Send an event to the listener."""

    event: Event


# Lanes


class Spawned(Outcome, frozen=True):
    """The id of the new lane."""

    lane: str


class Spawn(Control[Spawned], frozen=True):
    """Run a loop on a new lane, for a task or for the plan as a whole.

    `actor` is who works there; of a task, `<actor of the run>/<task>` if it is not given. The lane
    starts as soon as the run has a free slot for it.
    """

    loop: Any  # a `Loop`
    task: int | None = None
    actor: str = ""


class Ended(Outcome, frozen=True):
    """A lane ended with the result of its loop, or with the `error` that broke it."""

    lane: str
    result: Any = None
    error: str = ""


class Waiting(Outcome, frozen=True):
    """A lane waits for a person and has given its slot back."""

    lane: str


class PlanChanged(Outcome, frozen=True):
    """The plan has a newer revision."""

    revision: int


class DeadlinePassed(Outcome, frozen=True):
    """The deadline of a `Join` has passed."""


JoinOutcome = Ended | Waiting | PlanChanged | DeadlinePassed


class Join(Control[JoinOutcome], frozen=True):
    """Wait until a lane ends or waits for a person, the plan changes, or the deadline passes.

    The plan counts as changed at a revision above `since_revision`; None ignores its changes.
    """

    lanes: tuple[str, ...]
    since_revision: int | None = None
    deadline: datetime | None = None
