"""The values of a plan: frozen, the same for every format and store."""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Literal, get_args

from msgspec import Struct, field

from outlast.model.budget import NOTHING, Spend
from outlast.model.values import Value
from outlast.redact.text_fields import JsonText, Lines, Text

TaskStatus = Literal["pending", "in_progress", "completed", "failed", "skipped"]
StatusFilter = Literal[TaskStatus, "blocked"]
PlanStatus = Literal["idle", "running", "paused", "completed", "failed"]
Order = Literal["graph", "sequential"]
Hold = Literal["", "paused", "aborted"]
How = Literal["", "proved", "reported", "assumed", "unproved"]
ClaimedHow = Literal["reported", "assumed"]  # what may be said of a completion without a proof
CheckKind = Literal["command", "file", "person", "python", "report"]
ReportField = Literal["status", "results", "pitfalls", "next_steps"]
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
QuestionKind = Literal["ask", "settle", "permit", "goal", "edit", "replan", "checks", "confirm"]
Refuser = Literal["hook", "permission"]
LoopName = Literal["tools", "replan"]
ReportStatus = Literal["SUCCESS", "FAILED", "PARTIAL_SUCCESS"]
Decision = Literal["next", "retry", "replan", "abort", "skip"]
Label = Literal[
    "",
    "proved",
    "proved (was green)",
    "proved (not seen red)",
    "stale",
    "tampered",
    "forged",
    "unproved",
    "unproved, fails now",
    "reported",
    "assumed",
    "fails now",
    "passes now",
    "unknown",
    "not approved",
]
GraphForm = Literal["mermaid", "dot", "ascii", "words"]
Category = Literal["code", "architecture", "dependency", "issue", "insight"]
TASK_STATUSES: Final[tuple[TaskStatus, ...]] = get_args(TaskStatus)
STATUS_FILTERS: Final[tuple[StatusFilter, ...]] = get_args(StatusFilter)
PLAN_STATUSES: Final[tuple[PlanStatus, ...]] = get_args(PlanStatus)
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
HOLDS: Final[tuple[Hold, ...]] = get_args(Hold)
HOWS: Final[tuple[How, ...]] = get_args(How)
CHECK_KINDS: Final[tuple[CheckKind, ...]] = get_args(CheckKind)
REPORT_FIELDS: Final[tuple[ReportField, ...]] = get_args(ReportField)
BEFORE_PATTERN: Final = " ~ "  # in the rule of a file check or a report check
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
SETTLED_BY: Final[tuple[SettledBy, ...]] = get_args(SettledBy)
PHASE_STATUSES: Final[tuple[PhaseStatus, ...]] = get_args(PhaseStatus)
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
BASELINE_RESULTS: Final[tuple[BaselineResult, ...]] = get_args(BaselineResult)
PAUSE_REASONS: Final[tuple[PauseReason, ...]] = get_args(PauseReason)
QUESTION_KINDS: Final[tuple[QuestionKind, ...]] = get_args(QuestionKind)
REFUSERS: Final[tuple[Refuser, ...]] = get_args(Refuser)
REPORT_STATUSES: Final[tuple[ReportStatus, ...]] = get_args(ReportStatus)
DECISIONS: Final[tuple[Decision, ...]] = get_args(Decision)
LABEL_TEXTS: Final[dict[Label, str]] = {  # the key of its text
    "proved": "label_proved",
    "proved (was green)": "label_was_green",
    "proved (not seen red)": "label_not_seen_red",
    "stale": "label_stale",
    "tampered": "label_tampered",
    "forged": "label_forged",
    "unproved": "label_unproved",
    "unproved, fails now": "label_unproved_fails",
    "reported": "label_reported",
    "assumed": "label_assumed",
    "fails now": "label_fails_now",
    "passes now": "label_passes_now",
    "unknown": "label_unknown",
    "not approved": "label_not_approved",
}
RESULT_WORDS: Final = {True: "green", False: "red", None: "unknown"}  # of a check
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
BEGIN: Final = "begin"  # what the question is about that asks whether to begin
PERSON: Final = "human"  # the actor name of a person
ASSISTANT: Final = "assistant"  # the loop of its tasks, in what a plan remembers
OUTLAST: Final = "outlast"  # who decides and reports where neither a person nor an agent does
UNATTRIBUTED: Final = "unattributed"  # of an edit that a person or a tool may have made
FINISHED: Final[frozenset[TaskStatus]] = frozenset(("completed", "skipped"))
MAX_RETRIES: Final = 3
FILES_KEPT: Final = 20  # of those that an attempt changed although its task does not name them
LONGEST_LEASE: Final = 86_400  # seconds
MAIN_PHASE: Final = "main"
PLAN: Final = 0  # the plan itself, in place of a task id
_KINDS: Final[dict[str, CheckKind]] = {f"{kind}:": kind for kind in CHECK_KINDS}


class Progress(Struct, frozen=True, gc=False, array_like=True):
    """The progress of a task or a plan: `current` of `total`."""

    current: int
    total: int


class Check(Value, frozen=True, gc=False, omit_defaults=True):
    """A rule that shows whether a task is done.

    The rule of a file is its path, which must exist, or `path ~ pattern`, which must match. That of
    a report is one of its fields, which must say something, or `field ~ pattern`. That of Python is
    `module:function`, which must neither fail nor return False. A person has to confirm theirs.
    """

    kind: CheckKind
    rule: str

    @property
    def path(self) -> str:
        """The file that it looks at, if it is about a file."""
        return self.subject if self.kind == "file" else ""

    @property
    def subject(self) -> str:
        """What a pattern in its rule is about."""
        return self.rule.partition(BEFORE_PATTERN)[0].strip()

    @property
    def pattern(self) -> str:
        """The regular expression in its rule; empty without one."""
        return self.rule.partition(BEFORE_PATTERN)[2].strip()

    @property
    def is_word(self) -> bool:
        """Whether the word of a person or an agent satisfies it, so that nothing is run."""
        return self.kind in ("person", "report")


class Phase(Struct, frozen=True, gc=False, omit_defaults=True):
    """A named group of tasks; the list order follows the order of the phases."""

    id: str
    title: Text
    notes: Text = ""


class Task(Struct, frozen=True, gc=False, omit_defaults=True):
    """One unit of work.

    `description` may have several lines; so may `constraints`, which the work has to respect, and
    `expected`, what it should produce. `run` is the command that does it, `files` are the patterns
    of its results, `protect` of files it must not change. `alias` is the id it had elsewhere,
    `extra` is foreign JSON.
    """

    id: int
    name: Text
    phase: str = MAIN_PHASE
    needs: tuple[int, ...] = field(default=(), name="dependencies")
    reasoning: Text = ""
    description: Text = ""
    status: TaskStatus = "pending"
    result: Text | None = None
    error: Text | None = None
    retry_count: int = 0
    progress: Progress | None = None
    active_form: Text = ""
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
    extra: JsonText = ""
    constraints: Text = ""
    expected: Text = ""

    @property
    def finished(self) -> bool:
        """Whether the tasks that need it can go on."""
        return self.status in FINISHED

    @property
    def is_assumed(self) -> bool:
        """Whether its completion was only assumed, and not yet confirmed (M6)."""
        return self.status == "completed" and self.how == "assumed"

    @property
    def commands(self) -> tuple[Check, ...]:
        """What a person has to approve: its checks, and what it runs as one of them."""
        return (*self.checks, Check("command", self.run)) if self.run else self.checks


ProcessState = Literal["running", "stopped", "ended", "unknown"]
StateOf = Callable[[str], ProcessState]


def cannot_tell(_process: str) -> ProcessState:
    """Return that nothing is known of a process."""
    return "unknown"


class Lease(Value, frozen=True, gc=False, omit_defaults=True):
    """A claim on a task in progress: its holder, its deadline, and its fence token.

    `process` renews it as long as it lives; empty if anybody with the token may do that.
    """

    task: int
    holder: str
    token: int
    until: datetime
    process: str = ""

    @property
    def process_number(self) -> int:
        """The number of its process on its machine; 0 if it is unknown."""
        number = "".join(self.process.split("_")[1:2])
        return int(number) if number.isdecimal() else 0

    def is_live(self, now: datetime, state_of: StateOf = cannot_tell) -> bool:
        """Return whether it holds.

        A process that is known to run holds it whatever the clock says, one that has ended does
        not; of any other, its time decides. A lease that was made while the clock was a day ahead
        holds; a deadline still further ahead was set by a wrong clock.
        """
        state = state_of(self.process)
        if state in ("running", "ended"):
            return state == "running"
        return now < self.until <= now + timedelta(seconds=2 * LONGEST_LEASE)


class LastRun(Struct, frozen=True, gc=False, omit_defaults=True):
    """What the last run worked with, so that the next one can do the same.

    `model` is empty if the run's model had no name. `agent` carried out the tasks, `parallel` of
    them at a time; it is empty if the model did that itself, in the `loop` of this name: `tools`,
    `replan`, or `assistant` for the replan loop with the assistant's tools. With
    `review` a person had to approve changes of the plan. A plan may come from a stranger: these
    values have no more power than the settings file of a project.
    """

    model: Text
    actor: str
    language: str
    max_iterations: int
    agent: Text = ""
    parallel: int = 1
    review: bool = False
    loop: str = "tools"


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


class TaskReport(Struct, frozen=True, gc=False, omit_defaults=True):
    """The last report of an agent about a task, as far as it is kept; nothing of it is proved.

    `attempt` is the one it answers, `session` the conversation with the agent that can go on.
    `late` is what reports about earlier attempts say that came after their time was up, `denied`
    what the agent was not permitted to do.
    """

    attempt: str
    agent: str
    status: ReportStatus
    at: datetime
    session: str = ""
    results: str = ""
    pitfalls: str = ""
    next_steps: str = ""
    late: str = ""
    denied: tuple[str, ...] = ()


class AgentSession(Struct, frozen=True, gc=False, omit_defaults=True):
    """A conversation with an agent that can go on; `attempt` is the last one in it."""

    agent: str
    attempt: str


class TaskDecision(Struct, frozen=True, gc=False, omit_defaults=True):
    """What was decided after a report about a task, or after an attempt without one.

    `attempt` is the one it is about. `advice` is for the next attempt.
    """

    task: int
    attempt: str
    decision: Decision
    reason: str
    at: datetime
    by: str
    advice: str = ""


class Footprint(Struct, frozen=True, gc=False, omit_defaults=True):
    """What the work on a task left in the workspace, up to its last attempt.

    `before` and `after` are the git commits that were checked out; they are empty without git.
    `outside` has the first of the `count` changed files that the task does not name. If it is
    `shared`, others worked at the same time: a file or a commit may be theirs.
    """

    attempt: str
    at: datetime
    before: str = ""
    after: str = ""
    outside: tuple[str, ...] = ()
    count: int = 0
    shared: bool = False


class Question(Struct, frozen=True, gc=False, omit_defaults=True):
    """A question to a person, and who answered it.

    `about` is the attempt that it asks about, the call to permit, the proposed goal, or as JSON the
    edits to confirm, the checks to approve, or the tasks to replace those not started. `iteration`
    is what the plan had counted when an attempt was settled.
    """

    id: int
    text: Text
    at: datetime
    kind: QuestionKind = "ask"
    about: Text = ""
    task: int = 0
    answer: Text | None = None
    by: Text = ""
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

    It is `ok`, or not, or unknown (None): it was killed, could not start or took too long, twice.
    `baseline` is its result before the attempt, `digest` covers the whole output, `took_ms` is how
    long it ran.
    """

    check: Check
    ok: bool | None
    says: str = ""
    tail: str = ""
    digest: str = ""
    code: int | None = None
    baseline: BaselineResult = field(default="", name="seen")
    took_ms: int | None = None


class Proof(Struct, frozen=True, gc=False, omit_defaults=True):
    """The evidence of a task's checks at one moment, and digests of the files they cover.

    The stage is `set` when the task got its checks, `before` an attempt, `done` at completion,
    `later` when checked again. The seal shows that Outlast made the proof on this machine.
    `content` is the id of all that was in the workspace when the checks had ended.
    """

    task: int
    stage: Stage
    at: datetime
    evidence: tuple[Evidence, ...] = ()
    protected: str = ""
    files: str = ""
    seal: str = ""
    content: str = ""

    @property
    def is_unknown(self) -> bool:
        """Whether a check has shown nothing, and no other one that something is wrong."""
        results = [evidence.ok for evidence in self.evidence if evidence.check.kind != "person"]
        return None in results and False not in results

    @property
    def machine_evidence(self) -> list[Evidence]:
        """The evidence that is nobody's word."""
        return [evidence for evidence in self.evidence if not evidence.check.is_word]

    @property
    def is_green(self) -> bool:
        """Whether every check has passed."""
        return all(evidence.ok for evidence in self.evidence)

    @property
    def is_red(self) -> bool:
        """Whether a check has failed."""
        return not (self.is_green or self.is_unknown)

    @property
    def took_ms(self) -> int | None:
        """How long its checks ran; None if that is not known of each."""
        times = [evidence.took_ms for evidence in self.machine_evidence]
        known = [time for time in times if time is not None]
        return sum(known) if known and len(known) == len(times) else None

    @property
    def strength(self) -> Label:
        """What it is worth if all checks are green; an agent's word shows no more than that.

        It shows work only if a check was seen red before.
        """
        if {evidence.check.kind for evidence in self.evidence} == {"report"}:
            return "reported"
        before = {evidence.baseline for evidence in self.machine_evidence}
        if not before or "red" in before:
            return "proved"
        return "proved (was green)" if before == {"green"} else "proved (not seen red)"


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
    lines: Lines


MAIN: Final = Phase(MAIN_PHASE, "Main Tasks")


# The one-line form of a check: `pytest -q`, `file: PATH ~ PATTERN`, `person: TEXT` and others


def parse_rule(text: str) -> Check:
    """Parse a check; a text without a kind is a command."""
    kind = _kind(text)
    if kind is None:
        return Check("command", text)
    return Check(kind, text[len(kind) + 1 :].removeprefix(" "))


def write_rule(check: Check) -> str:
    """Write a check; a command that looks like another kind gets the prefix `command:`."""
    if check.kind == "command" and _kind(check.rule) is None:
        return check.rule
    return f"{check.kind}: {check.rule}"


def _kind(text: str) -> CheckKind | None:
    head, colon, _ = text.partition(":")
    return _KINDS.get(f"{head.lower()}{colon}")
