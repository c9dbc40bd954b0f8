"""What a plan is made of: frozen values, the same for every format and store."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Literal, get_args

from msgspec import Struct, field

from outlast.domain.budget import NOTHING, Spend

TaskStatus = Literal["pending", "in_progress", "completed", "failed", "skipped"]
PlanStatus = Literal["idle", "running", "paused", "completed", "failed"]
Order = Literal["graph", "sequential"]
Hold = Literal["", "paused", "aborted"]
How = Literal["", "proved", "reported", "assumed", "unproved"]
CheckKind = Literal["command", "file", "person"]
Outcome = Literal["done", "failed", "lost"]
SettledBy = Literal["", "check", "key", "session", "person", "tool"]
PhaseStatus = Literal["pending", "in_progress", "completed", "blocked"]
Stage = Literal["set", "before", "done", "later"]
Seen = Literal["", "red", "green"]
PauseWhy = Literal[
    "", "limit", "budget", "interrupted", "cancelled", "waiting", "model_failed", "unsettled"
]
QuestionKind = Literal["ask", "settle", "permit"]
Category = Literal["code", "architecture", "dependency", "issue", "insight"]

TASK_STATUSES: Final[tuple[TaskStatus, ...]] = get_args(TaskStatus)
PLAN_STATUSES: Final[tuple[PlanStatus, ...]] = get_args(PlanStatus)
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
HOLDS: Final[tuple[Hold, ...]] = get_args(Hold)
HOWS: Final[tuple[How, ...]] = get_args(How)
CHECK_KINDS: Final[tuple[CheckKind, ...]] = get_args(CheckKind)
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
SETTLED_BY: Final[tuple[SettledBy, ...]] = get_args(SettledBy)
PHASE_STATUSES: Final[tuple[PhaseStatus, ...]] = get_args(PhaseStatus)
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
SEEN: Final[tuple[Seen, ...]] = get_args(Seen)
PAUSE_WHYS: Final[tuple[PauseWhy, ...]] = get_args(PauseWhy)
QUESTION_KINDS: Final[tuple[QuestionKind, ...]] = get_args(QuestionKind)
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
PERSON: Final = "human"  # the actor that stands for a person, whose word counts as one
FINISHED: Final[frozenset[TaskStatus]] = frozenset(("completed", "skipped"))
MAX_RETRIES: Final = 3
LONGEST_LEASE: Final = 86_400  # seconds: who goes silent for a day has gone
MAIN_PHASE: Final = "main"


class Progress(Struct, frozen=True, gc=False, array_like=True):
    """How far a task, or a plan, has come: `current` of `total`."""

    current: int
    total: int


class Check(Struct, frozen=True, gc=False, omit_defaults=True):
    """A rule that shows whether a task is done: a command, a file, or a person's word.

    The rule of a file is its path, which has to exist, or `path ~ pattern`, which has to match.
    """

    kind: CheckKind
    rule: str


class Phase(Struct, frozen=True, gc=False, omit_defaults=True):
    """A named group of tasks; phases come one after the other in the list order."""

    id: str
    title: str
    notes: str = ""


class Task(Struct, frozen=True, gc=False, omit_defaults=True):
    """One unit of work. `alias` is the id it had elsewhere, `extra` JSON we do not understand.

    `run` is what does it, `files` are the patterns of what it makes, `protect` of what it must not
    touch.
    """

    id: int
    name: str
    phase: str = MAIN_PHASE
    needs: tuple[int, ...] = field(default=(), name="dependencies")
    reasoning: str = ""
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
        """Whether it satisfies the tasks that depend on it."""
        return self.status in FINISHED


class Lease(Struct, frozen=True, gc=False):
    """A claim on a task in progress: who holds it, until when, and the token that proves it."""

    task: int
    holder: str
    token: int
    until: datetime

    def is_live(self, now: datetime) -> bool:
        """Tell whether it still holds; one that lasts too long is of a clock that was ahead."""
        return now < self.until <= now + timedelta(seconds=LONGEST_LEASE)


class Attempt(Struct, frozen=True, gc=False, omit_defaults=True):
    """Something that was begun and whose outcome is not known yet; task 0 is the plan itself.

    `reserve` is what it may cost at most; that much is set aside until it has ended.
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
    """What a person is asked; `about` is the attempt to settle or the call to allow."""

    id: int
    text: str
    at: datetime
    kind: QuestionKind = "ask"
    about: str = ""
    task: int = 0
    answer: str | None = None


class Interjection(Struct, frozen=True, gc=False, omit_defaults=True):
    """Something a person has said to a loop at work."""

    id: int
    text: str
    by: str
    at: datetime


class Evidence(Struct, frozen=True, gc=False, omit_defaults=True):
    """What one check showed. `seen` is how it stood before the attempt; `digest` is of it all."""

    check: Check
    ok: bool
    says: str = ""
    tail: str = ""
    digest: str = ""
    code: int | None = None
    seen: Seen = ""


class Proof(Struct, frozen=True, gc=False, omit_defaults=True):
    """What the checks of a task showed at one moment, and on what: digests of the files.

    `set` is when its checks were given to it, `before` an attempt, `done` at its completion,
    `later` when somebody looked again. The seal tells what Outlast saw itself on this machine.
    """

    task: int
    stage: Stage
    at: datetime
    evidence: tuple[Evidence, ...] = ()
    protected: str = ""
    files: str = ""
    seal: str = ""


class Confirmation(Struct, frozen=True, gc=False):
    """A person's word on a check that asks for it."""

    check: Check
    by: str
    at: datetime


class Finding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Something learned on the way that is worth keeping."""

    id: int
    category: Category
    title: str
    content: str
    at: datetime
    source: str = ""
    author: str = ""


class ErrorRecord(Struct, frozen=True, gc=False, omit_defaults=True):
    """An error that a tool made, and how often; `params` is JSON."""

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

    `top`, `head` (below the progress), `phase:<id>`, `task:<id>`, `end` (above the last line) or
    `after` it.
    """

    anchor: str
    lines: tuple[str, ...]


MAIN: Final = Phase(MAIN_PHASE, "Main Tasks")
