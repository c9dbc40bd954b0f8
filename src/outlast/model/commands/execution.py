"""Commands that carry a plan out: work on tasks, claims, attempts, agents, the loop."""

from __future__ import annotations

from msgspec import Struct

from outlast.model.budget import NOTHING, Budget, Spend
from outlast.model.model import (
    MAX_RETRIES,
    Decision,
    How,
    Outcome,
    Proof,
    QuestionKind,
    Refuser,
    ReportStatus,
    SettledBy,
)
from outlast.model.replan_position import Observation, ReplanPosition
from outlast.redact.text_fields import Subject, Text

TaskRef = int | str  # `3`, `"3"`, `step_3`, or the id it had elsewhere

# Work on a task


class Start(Struct, frozen=True, gc=False, omit_defaults=True):
    """Start a task, or the next one."""

    actor: str
    task: TaskRef | None = None


class Complete(Struct, frozen=True, gc=False, omit_defaults=True):
    """Complete a task, and say how that is established; a task with checks needs a proof.

    A completion that was assumed is confirmed by completing the task again. `force` and `amend` are
    for people: `force` completes without proof, `amend` completes a task that is not ready.
    """

    task: TaskRef
    actor: str
    result: Text | None = None
    how: How = "reported"
    token: int | None = None
    proof: Proof | None = None
    force: bool = False
    amend: bool = False


class Fail(Struct, frozen=True, gc=False, omit_defaults=True):
    """Report that a try of a task failed; after `retries` more tries the task has failed."""

    task: TaskRef
    actor: str
    error: Text
    retry: bool = True
    token: int | None = None
    retries: int = MAX_RETRIES


class Skip(Struct, frozen=True, gc=False, omit_defaults=True):
    """Skip a task; its dependents can go on."""

    task: TaskRef
    reason: Text = ""


class Reopen(Struct, frozen=True, gc=False, omit_defaults=True):
    """Reopen a failed or finished task."""

    task: TaskRef


class SetProgress(Struct, frozen=True, gc=False, omit_defaults=True):
    """Set the progress of a task."""

    task: TaskRef
    current: int
    total: int
    token: int | None = None


class Return(Struct, frozen=True, gc=False, omit_defaults=True):
    """Return a task in progress to pending, without an outcome."""

    task: TaskRef
    reason: Text = ""
    token: int | None = None


# Claims and attempts


class Claim(Struct, frozen=True, gc=False, omit_defaults=True):
    """Start a task, or the next one, and lease it for some seconds."""

    actor: str
    task: TaskRef | None
    seconds: int


class ClaimPlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Lease the plan for some seconds, as the one runner that works on it.

    `process` is the one that renews the lease. The lease with the token `ended` is taken over
    though its time is not over: its process has ended.
    """

    actor: str
    seconds: int
    process: str = ""
    ended: int = 0


class Renew(Struct, frozen=True, gc=False, omit_defaults=True):
    """Extend the lease of a task, or of the plan (0), to some seconds from now."""

    task: TaskRef
    token: int
    seconds: int


class Release(Struct, frozen=True, gc=False, omit_defaults=True):
    """Return a claimed task, or end the lease of the plan (0)."""

    task: TaskRef
    token: int


class Fence(Struct, frozen=True, gc=False, omit_defaults=True):
    """Change nothing, but refuse the commit if the claim is lost."""

    token: int
    task: TaskRef = 0


class BeginAttempt(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record an attempt before it starts; without a task, for the plan itself.

    `reserve` is its highest possible cost. It is refused if the budget does not cover that.
    """

    task: TaskRef | None
    kind: str
    what: str
    digest: str = ""
    token: int | None = None
    reserve: Spend = NOTHING


class EndAttempt(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record the outcome of an attempt, and how it is known if its end was not observed.

    `spent` is its cost; if that is unknown, the whole reservation counts. `planning` is the part
    that was spent on the plan itself.
    """

    attempt: str
    outcome: Outcome
    settled_by: SettledBy = ""
    note: Text = ""
    token: int | None = None
    spent: Spend | None = None
    planning: Spend = NOTHING


# Agents: what they report, and what is decided about it


class NoteReport(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record what an agent reports about an attempt of a task."""

    attempt: str
    agent: str
    status: ReportStatus
    session: str = ""
    results: Text = ""
    pitfalls: Text = ""
    next_steps: Text = ""
    late: Text = ""
    denied: tuple[Text, ...] = ()


class NoteDecision(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record what was decided after an attempt of a task, and why; `by` is who decided."""

    attempt: str
    decision: Decision
    reason: Text
    by: str
    advice: Text = ""


class NoteSession(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record in which session an agent works on an attempt of a task."""

    attempt: str
    agent: str
    session: str


class NoteFootprint(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record the git commits before and after an attempt of a task, and what it changed.

    `outside` are files that the task does not name: the first of `count`. If it is `shared`, others
    worked at the same time.
    """

    attempt: str
    before: str = ""
    after: str = ""
    outside: tuple[Text, ...] = ()
    count: int = 0
    shared: bool = False


class EndSession(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record that a session of an agent needs no further command."""

    session: str


class MoveReplan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record where the replan loop stands, and what a tool run gave that led there.

    The items behind the cursor become the open tasks of the plan, as the commands before leave
    them.
    """

    position: ReplanPosition
    observation: Observation | None = None


# The loop: budgets, costs, conversation, counters


class SetBudget(Struct, frozen=True, gc=False, omit_defaults=True):
    """Set the total budget of the plan or of a task; also to raise it."""

    budget: Budget
    task: TaskRef | None = None


class Charge(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record a cost outside an attempt, such as one from before the plan existed.

    `planning` is the part that was spent on the plan itself. A `limited` cost is refused if the
    budget does not cover it.
    """

    spend: Spend
    task: TaskRef | None = None
    planning: Spend = NOTHING
    limited: bool = False


class AskQuestion(Struct, frozen=True, gc=False, omit_defaults=True):
    """Ask a person.

    `about` is the attempt that it asks about, the call to permit, the proposed goal, or as JSON the
    edits to confirm, the checks to approve, or the tasks to replace those not started.
    """

    text: Text
    kind: QuestionKind = "ask"
    about: Subject = ""
    task: TaskRef | None = None


class AnswerQuestion(Struct, frozen=True, gc=False, omit_defaults=True):
    """Answer a question; without a number, the oldest open one.

    Only a person answers a proposed goal or unconfirmed edits. A yes to a goal changes the goal.
    `by_asker`: the process that asked for a permission passes on what its person said. A yes
    counts only then, and a later no replaces it.
    """

    text: Text
    actor: str
    question: int | None = None
    by_asker: bool = False


class Interject(Struct, frozen=True, gc=False, omit_defaults=True):
    """Send a message to the loop, which reads it before its next iteration.

    `heard` records a message that the loop has read already.
    """

    text: Text
    actor: str
    heard: bool = False


class TakeInterjections(Struct, frozen=True, gc=False, omit_defaults=True):
    """Mark the interjections up to this number as read; later ones get a higher number.

    Those with the numbers `dropped` were commands to the loop: nobody has to remember them.
    """

    last: int
    dropped: tuple[int, ...] = ()


class NoteLoop(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record loop counters; None leaves one unchanged.

    `managed`: the model has managed this plan by tool or marker. `stops`: how often its stop was
    refused since a task last changed its status. `seen`: the revision up to which the model knows
    what people changed.
    """

    managed: bool | None = None
    stops: int | None = None
    seen: int | None = None


class Strike(Struct, frozen=True, gc=False, omit_defaults=True):
    """Refuse a tool with these parameters (a digest) until the strike is cleared."""

    tool: str
    params: str


class ClearStrikes(Struct, frozen=True, gc=False, omit_defaults=True):
    """Clear the strikes of one tool, or of all."""

    tool: str | None = None


class NoteRefusal(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record that a call was refused before it ran: `what` was called, and who or what refused."""

    what: str
    by: Refuser
    note: Text = ""
    task: TaskRef | None = None
