"""The values of a plan: frozen, the same for every format and store."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Literal, get_args

from msgspec import Struct, field

from outlast.domain.budget import NOTHING, Spend
from outlast.domain.values import Value

TaskStatus = Literal["pending", "in_progress", "completed", "failed", "skipped"]
StatusFilter = Literal[TaskStatus, "blocked"]
PlanStatus = Literal["idle", "running", "paused", "completed", "failed"]
Order = Literal["graph", "sequential"]
Hold = Literal["", "paused", "aborted"]
How = Literal["", "proved", "reported", "assumed", "unproved"]
ClaimedHow = Literal["reported", "assumed"]  # what may be said of a completion without a proof
CheckKind = Literal["command", "file", "person"]
Outcome = Literal["done", "failed", "lost"]
SettledBy = Literal["", "check", "key", "session", "person", "tool"]
PhaseStatus = Literal["pending", "in_progress", "completed", "blocked"]
Stage = Literal["set", "before", "done", "later"]
BaselineResult = Literal["", "red", "green"]
PauseReason = Literal[
    "",
    "limit",
    "budget",
    "interrupted",
    "cancelled",
    "waiting",
    "model_failed",
    "unsettled",
    "dropped",
]
QuestionKind = Literal["ask", "settle", "permit", "goal", "edit"]
Refuser = Literal["hook", "permission"]
GraphForm = Literal["mermaid", "dot", "ascii", "words"]
Category = Literal["code", "architecture", "dependency", "issue", "insight"]

TASK_STATUSES: Final[tuple[TaskStatus, ...]] = get_args(TaskStatus)
STATUS_FILTERS: Final[tuple[StatusFilter, ...]] = get_args(StatusFilter)
PLAN_STATUSES: Final[tuple[PlanStatus, ...]] = get_args(PlanStatus)
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
HOLDS: Final[tuple[Hold, ...]] = get_args(Hold)
HOWS: Final[tuple[How, ...]] = get_args(How)
CHECK_KINDS: Final[tuple[CheckKind, ...]] = get_args(CheckKind)
BEFORE_PATTERN: Final = " ~ "  # in the rule of a file check
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
SETTLED_BY: Final[tuple[SettledBy, ...]] = get_args(SettledBy)
PHASE_STATUSES: Final[tuple[PhaseStatus, ...]] = get_args(PhaseStatus)
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
BASELINE_RESULTS: Final[tuple[BaselineResult, ...]] = get_args(BaselineResult)
PAUSE_REASONS: Final[tuple[PauseReason, ...]] = get_args(PauseReason)
QUESTION_KINDS: Final[tuple[QuestionKind, ...]] = get_args(QuestionKind)
REFUSERS: Final[tuple[Refuser, ...]] = get_args(Refuser)
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
BEGIN: Final = "begin"  # what the question is about that asks whether to begin
PERSON: Final = "human"  # the actor name of a person
UNATTRIBUTED: Final = "unattributed"  # of an edit that a person or a tool may have made
FINISHED: Final[frozenset[TaskStatus]] = frozenset(("completed", "skipped"))
MAX_RETRIES: Final = 3
LONGEST_LEASE: Final = 86_400  # seconds
MAIN_PHASE: Final = "main"
PLAN: Final = 0  # the plan itself, in place of a task id


class Progress(Struct, frozen=True, gc=False, array_like=True):
    """The progress of a task or a plan: `current` of `total`."""

    current: int
    total: int


class Check(Value, frozen=True, gc=False, omit_defaults=True):
    """A rule that shows whether a task is done: a command, a file, or a person's word.

    The rule of a file is its path, which must exist, or `path ~ pattern`, which must match.
    """

    kind: CheckKind
    rule: str


class Phase(Struct, frozen=True, gc=False, omit_defaults=True):
    """A named group of tasks; the list order follows the order of the phases."""

    id: str
    title: str
    notes: str = ""


class Task(Struct, frozen=True, gc=False, omit_defaults=True):
    """One unit of work.

    `description` may have several lines. `run` is the command that does it, `files` are the
    patterns of its results, `protect` of files it must not change. `alias` is the id it had
    elsewhere, `extra` is foreign JSON.
    """

    id: int
    name: str
    phase: str = MAIN_PHASE
    needs: tuple[int, ...] = field(default=(), name="dependencies")
    reasoning: str = ""
    description: str = ""
    status: TaskStatus = "pending"
    result: str | None = None
    error: str | None = None
    retry_count: int = 0
    progress: Progress | None = None
    active_form: str = ""
    kind: str = ""
    checks: tuple[Check, ...] = ()
    run: str = ""
    files: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    how: How = ""
    actor: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    alias: str = ""
    extra: str = ""

    @property
    def finished(self) -> bool:
        """Whether the tasks that need it can go on."""
        return self.status in FINISHED

    @property
    def is_assumed(self) -> bool:
        """Whether its completion was only assumed, and not yet confirmed (M6)."""
        return self.status == "completed" and self.how == "assumed"


class Lease(Value, frozen=True, gc=False):
    """A claim on a task in progress: its holder, its deadline, and its fence token."""

    task: int
    holder: str
    token: int
    until: datetime

    def is_live(self, now: datetime) -> bool:
        """Return whether it holds; a deadline too far ahead was set by a wrong clock."""
        return now < self.until <= now + timedelta(seconds=LONGEST_LEASE)


class LastRun(Struct, frozen=True, gc=False):
    """What the last run worked with, so that the next one can do the same.

    `model` is empty if the run's model had no name. A plan may come from a stranger: these values
    have no more power than the settings file of a project.
    """

    model: str
    actor: str
    language: str
    max_iterations: int


class Attempt(Struct, frozen=True, gc=False, omit_defaults=True):
    """One try whose outcome is not known yet; task 0 is the plan itself.

    `reserve` is its highest possible cost, reserved until it has ended.
    """

    id: str
    task: int
    kind: str
    what: str
    digest: str
    at: datetime
    token: int = 0
    reserve: Spend = NOTHING


class Question(Struct, frozen=True, gc=False, omit_defaults=True):
    """A question to a person, and who answered it.

    `about` is the attempt to settle, the call to permit, the proposed goal, or the edits to confirm
    as JSON. `iteration` is what the plan had counted when an attempt was settled.
    """

    id: int
    text: str
    at: datetime
    kind: QuestionKind = "ask"
    about: str = ""
    task: int = 0
    answer: str | None = None
    by: str = ""
    answered_at: datetime | None = None
    iteration: int = 0


class Interjection(Struct, frozen=True, gc=False, omit_defaults=True):
    """A message of a person to the loop that works on the plan."""

    id: int
    text: str
    by: str
    at: datetime


class Evidence(Struct, frozen=True, gc=False, omit_defaults=True):
    """What one check returned.

    `baseline` is its result before the attempt, `digest` covers the whole output.
    """

    check: Check
    ok: bool
    says: str = ""
    tail: str = ""
    digest: str = ""
    code: int | None = None
    baseline: BaselineResult = field(default="", name="seen")


class Proof(Struct, frozen=True, gc=False, omit_defaults=True):
    """The evidence of a task's checks at one moment, and digests of the files they cover.

    The stage is `set` when the task got its checks, `before` an attempt, `done` at completion,
    `later` when checked again. The seal shows that Outlast made the proof on this machine.
    """

    task: int
    stage: Stage
    at: datetime
    evidence: tuple[Evidence, ...] = ()
    protected: str = ""
    files: str = ""
    seal: str = ""


class Confirmation(Struct, frozen=True, gc=False):
    """A person's confirmation of a check."""

    check: Check
    by: str
    at: datetime


class Finding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Something learned, kept for later, and how often it was noted."""

    id: int
    category: Category
    title: str
    content: str
    at: datetime
    source: str = ""
    author: str = ""
    count: int = 1


class ErrorRecord(Struct, frozen=True, gc=False, omit_defaults=True):
    """An error of a tool, and how often it occurred; `params` is JSON."""

    id: int
    tool: str
    message: str
    first_at: datetime
    at: datetime
    count: int = 1
    params: str = ""
    stack: str = ""


class Prose(Struct, frozen=True, gc=False):
    """Lines that a person wrote into `task_plan.md`, below the place that `anchor` names.

    The anchor is `top`, `head` (below the progress), `phase:<id>`, `task:<id>`, `end` (above the
    last line) or `after` it.
    """

    anchor: str
    lines: tuple[str, ...]


MAIN: Final = Phase(MAIN_PHASE, "Main Tasks")
