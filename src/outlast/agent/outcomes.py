"""The outcomes of effects: what a loop gets to know after it has yielded one."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from outlast.agent.work import WorkOrder, WorkResult
from outlast.context.chat_model import Call, Message, Usage
from outlast.context.tool import Settlement
from outlast.model.budget import Spend
from outlast.model.markers import NamedTask
from outlast.model.model import Check, Interjection, Proof, Question, Task, TaskDecision, TaskReport
from outlast.model.replan_position import Observation, ReplanPosition


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

    Nobody has to be asked about one whose outcome is not `needed`: its task has ended. `spent` is
    its cost, if that is known.
    """

    settlement: Settlement
    by: Literal["", "tool", "session", "check"] = ""
    needed: bool = True
    spent: Spend | None = None


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
    """A person's answer; None if no person can be reached now.

    It `is_recorded` if it was given elsewhere, such as by `outlast answer`.
    """

    text: str | None = None
    is_recorded: bool = False


class BriefText(Struct, frozen=True):
    """What a model must know that has not seen the work on the plan."""

    text: str


class Exchange(Struct, frozen=True):
    """The model's last message and the results of its calls; empty if they are not known."""

    messages: tuple[Message, ...] = ()


class FoundTasks(Struct, frozen=True):
    """The task that each text names."""

    tasks: tuple[NamedTask, ...] = ()


class Delegated(Struct, frozen=True):
    """How an agent ended its attempt, or the `error` that prevented it from starting."""

    result: WorkResult = WorkResult()
    attempt: str = ""
    error: str = ""
    code: str = ""


class Checked(Struct, frozen=True):
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


class ReadyTask(Struct, frozen=True):
    """A task that an agent can work on now: in progress already, or ready to start."""

    id: int
    files: tuple[str, ...] = ()
    is_begun: bool = False


class Schedule(Struct, frozen=True):
    """The tasks that could be worked on, those with the longest remaining path first.

    `claimed` are the tasks in progress that are other actors', `asked` those about which a question
    is open.
    """

    ready: tuple[ReadyTask, ...] = ()
    claimed: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()


class TaskPosition(Struct, frozen=True):
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


class AgentTried(Struct, frozen=True):
    """Whether the agent can work here; `error` is why not, and what to do."""

    error: str = ""


class Outline(Struct, frozen=True):
    """All tasks of the plan, in list order."""

    tasks: tuple[Task, ...] = ()


class Clarification(Struct, frozen=True):
    """A question that a person has answered."""

    question: str
    answer: str


class ReplanState(Struct, frozen=True):
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


class PatchPreview(Struct, frozen=True):
    """What a new list of tasks would change, as `text`; or the `error` that refuses it."""

    text: str = ""
    error: str = ""


class UnapprovedChecks(Struct, frozen=True):
    """The commands of unfinished tasks that nobody has approved."""

    checks: tuple[Check, ...] = ()


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
    | Delegated
    | Checked
    | Schedule
    | TaskPosition
    | Outline
    | AgentTried
    | ReplanState
    | PatchPreview
    | UnapprovedChecks
    | PlanEdits
    | Spawned
    | JoinOutcome
    | Emitted
)
