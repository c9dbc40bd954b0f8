"""What was done for a plan: every attempt, report, decision and check, collected from its commits.

The plan keeps only the last of each; its commits have all of them.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.model.budget import NOTHING, Spend
from outlast.model.changes import (
    AttemptBegan,
    AttemptEnded,
    Change,
    Commit,
    DecisionNoted,
    FootprintNoted,
    PlanCreated,
    ProofNoted,
    ReportNoted,
    TaskCompleted,
    TaskFailed,
    TaskLeased,
    TaskSkipped,
)
from outlast.model.ledger import DELEGATE, THINK
from outlast.model.model import (
    PLAN,
    Check,
    Evidence,
    Footprint,
    Label,
    Outcome,
    Proof,
    Question,
    SettledBy,
    StateOf,
    Task,
    TaskDecision,
    TaskReport,
    cannot_tell,
)
from outlast.model.plan_costs import spent_amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from outlast.model.state import PlanState


Worth = Literal["failed", "doubtful", "unproved", "open", "pending", "skipped", "weak", "proved"]
WORTHS: Final[tuple[Worth, ...]] = (  # what needs a person's eye first
    *("failed", "doubtful", "unproved", "open", "pending", "skipped", "weak", "proved"),
)
_CLAIMED: Final = ("unproved", "reported", "assumed", "")  # labels of a completion without a proof


class AttemptRecord(Struct, frozen=True):
    """One attempt; `until` is the last moment at which it is known to have been at work.

    `outcome` is empty while nobody knows it. An attempt is not `observed` if its run died: it was
    found out later how it ended, or it is not known yet.
    """

    id: str
    task: int
    kind: str
    what: str
    began: datetime
    until: datetime
    outcome: Literal[Outcome, ""] = ""
    settled_by: SettledBy = ""
    note: str = ""
    spent: Spend = NOTHING
    report: TaskReport | None = None
    decisions: tuple[TaskDecision, ...] = ()
    observed: bool = True
    footprint: Footprint | None = None

    @property
    def agent(self) -> str:
        """Who made it, if that was an agent."""
        if self.report is not None:
            return self.report.agent
        return self.what.partition(" ")[0] if self.kind == DELEGATE else ""

    @property
    def is_rejected(self) -> bool:
        """Whether it ended, and its result was not accepted."""
        if self.outcome != "done":
            return False
        is_failed = self.report is not None and self.report.status == "FAILED"
        return is_failed or any(each.decision != "next" for each in self.decisions[-1:])

    @property
    def seconds(self) -> float:
        """How long it was at work, as far as that is known."""
        return max((self.until - self.began).total_seconds(), 0.0)


class CheckRecord(Struct, frozen=True):
    """A check of a task: its results one after the other, without repetitions, and the last one."""

    check: Check
    results: tuple[bool | None, ...] = ()
    last: Evidence | None = None
    at: datetime | None = None


class CheckRun(Struct, frozen=True):
    """One run of all checks of a task, and whether all of them passed; None if that is unknown."""

    at: datetime
    ok: bool | None


class TaskRecord(Struct, frozen=True):
    """The work on one task; `label` is what its completion is worth, `revision` of its end.

    `footprint` is what all of its attempts left in the workspace.
    """

    task: Task
    label: Label
    worth: Worth
    attempts: tuple[AttemptRecord, ...] = ()
    checks: tuple[CheckRecord, ...] = ()
    check_runs: tuple[CheckRun, ...] = ()
    spent: Spend = NOTHING
    revision: int = 0
    footprint: Footprint | None = None

    @property
    def orders(self) -> list[AttemptRecord]:
        """The attempts that agents made."""
        return [attempt for attempt in self.attempts if attempt.kind == DELEGATE]

    @property
    def agents(self) -> list[str]:
        """The agents that worked on it; without any, who ended it."""
        names = dict.fromkeys(attempt.agent for attempt in self.orders)
        return list(names) or list(filter(None, (self.task.actor,)))

    @property
    def seconds(self) -> float:
        """How long it was worked on; calls inside of an agent's attempt count once."""
        busy, until = 0.0, None
        for attempt in sorted(self.attempts, key=lambda attempt: attempt.began):
            begin = attempt.began if until is None else max(attempt.began, until)
            busy += max((attempt.until - begin).total_seconds(), 0.0)
            until = attempt.until if until is None else max(attempt.until, until)
        return busy


class WorkRecord(Struct, frozen=True):
    """The work on a whole plan; the tasks that need a person's eye come first.

    `other_attempts` were made for the plan itself, or for tasks that are no longer in it.
    """

    key: str
    title: str
    goal: str
    condition: str
    revision: int
    at: datetime
    tasks: tuple[TaskRecord, ...]
    other_attempts: tuple[AttemptRecord, ...] = ()
    questions: tuple[Question, ...] = ()
    spent: Spend = NOTHING
    planning: Spend = NOTHING
    summary: str = ""

    @property
    def counts(self) -> dict[Worth, int]:
        """How many tasks there are of each worth, without those of which there are none."""
        found = [task.worth for task in self.tasks]
        return {worth: found.count(worth) for worth in WORTHS if worth in found}

    @property
    def seconds(self) -> float:
        """How long was worked on all tasks together, and on the plan itself."""
        others = sum(attempt.seconds for attempt in self.other_attempts)
        return others + sum(task.seconds for task in self.tasks)

    @property
    def attempts(self) -> list[AttemptRecord]:
        """All attempts, in the order in which they began."""
        own = (attempt for task in self.tasks for attempt in task.attempts)
        return sorted((*self.other_attempts, *own), key=lambda attempt: attempt.began)


def collect_work(
    state: PlanState,
    commits: Iterable[Commit],
    labels: Mapping[int, Label],
    now: datetime,
    state_of: StateOf = cannot_tell,
) -> WorkRecord:
    """Collect what was done for a plan; `labels` say what the completions are worth."""
    collection = _Collection()
    for commit in commits:
        if any(isinstance(change, PlanCreated) for change in commit.changes):
            collection = _Collection()  # everything before is about another plan
        collection.add(commit)
    is_live = state.ledger.live_lease(PLAN, now, state_of) is not None
    attempts = collection.finish(now if is_live else state.updated_at, at_work=is_live)
    by_task: dict[int, list[AttemptRecord]] = {}
    for attempt in attempts:
        by_task.setdefault(attempt.task, []).append(attempt)
    tasks = [
        _task_record(state, task, labels.get(task.id, ""), collection, by_task.get(task.id, []))
        for task in state.tasks_in_order()
    ]
    return WorkRecord(
        state.key,
        state.title,
        state.goal,
        state.condition(now, state_of),
        state.revision,
        now,
        tuple(sorted(tasks, key=lambda task: WORTHS.index(task.worth))),  # stable: in list order
        tuple(attempt for attempt in attempts if attempt.task not in state.tasks),
        tuple(state.open_questions()),
        spent_amount(state),
        state.ledger.counters.planning,
        state.notes.deliverable or state.notes.answer,
    )


def _task_record(
    state: PlanState,
    task: Task,
    label: Label,
    collection: _Collection,
    attempts: list[AttemptRecord],
) -> TaskRecord:
    proofs = [proof for proof in collection.proofs.get(task.id, ()) if proof.evidence]
    return TaskRecord(
        task,
        label,
        _worth(task, label),
        tuple(attempts),
        tuple(_check_record(check, proofs) for check in task.checks),
        tuple(CheckRun(proof.at, _result_of(proof)) for proof in proofs),
        spent_amount(state, task.id),
        collection.ends.get(task.id, 0),
        state.ledger.footprints.get(task.id),
    )


def _worth(task: Task, label: Label) -> Worth:  # noqa: PLR0911 - one line for each
    if task.status == "failed":
        return "failed"
    if task.status == "skipped":
        return "skipped"
    if task.status != "completed":
        if label == "tampered":
            return "doubtful"
        return "open" if task.status == "in_progress" else "pending"
    if label == "proved":
        return "proved"
    if label.startswith("proved"):
        return "weak"
    return "unproved" if label in _CLAIMED else "doubtful"


def _result_of(proof: Proof) -> bool | None:
    return None if proof.is_unknown else proof.is_green


def _check_record(check: Check, proofs: list[Proof]) -> CheckRecord:
    results: list[bool | None] = []
    last, at = None, None
    for proof in proofs:
        for evidence in proof.evidence:
            if evidence.check == check:
                last, at = evidence, proof.at
                if results[-1:] != [evidence.ok]:
                    results.append(evidence.ok)
    return CheckRecord(check, tuple(results), last, at)


class _Collection:
    """What the commits of one plan say so far."""

    def __init__(self) -> None:
        self._attempts: dict[str, AttemptRecord] = {}
        self._last_seen: dict[str, datetime] = {}
        self.proofs: dict[int, list[Proof]] = {}
        self.ends: dict[int, int] = {}
        self._previous: datetime | None = None

    def add(self, commit: Commit) -> None:
        for change in commit.changes:
            self._add_change(change, commit)
        self._previous = commit.at

    def finish(self, until: datetime, *, at_work: bool) -> list[AttemptRecord]:
        """Return all attempts; those still open are at work, or were until then."""
        return [
            attempt if attempt.outcome else self._leave_unknown(attempt, until, at_work=at_work)
            for attempt in self._attempts.values()
        ]

    def _leave_unknown(
        self, attempt: AttemptRecord, until: datetime, *, at_work: bool
    ) -> AttemptRecord:
        seen = self._last_seen.get(attempt.id)
        last = max(until if seen is None else seen, attempt.began)
        return replace(attempt, until=last, observed=at_work and seen is None)

    def _add_change(self, change: Change, commit: Commit) -> None:
        if isinstance(change, AttemptBegan):
            began = AttemptRecord(
                change.id, change.task, change.kind, change.what, commit.at, commit.at
            )
            self._attempts[change.id] = began
        elif isinstance(change, AttemptEnded):
            self._end(change, commit.at)
        elif isinstance(change, TaskLeased) and change.id == PLAN:
            self._leave_open()
        elif isinstance(change, ReportNoted):
            self._update(change.report.attempt, report=change.report)
        elif isinstance(change, DecisionNoted):
            self._add_decision(change.decision)
        elif isinstance(change, FootprintNoted):
            self._update(change.footprint.attempt, footprint=change.footprint)
        elif isinstance(change, ProofNoted):
            self.proofs.setdefault(change.proof.task, []).append(change.proof)
        elif isinstance(change, TaskCompleted | TaskFailed | TaskSkipped):
            self.ends[change.id] = commit.revision

    def _leave_open(self) -> None:
        """A new run begins: attempts still open were last seen before it."""
        for attempt in self._attempts.values():
            if not attempt.outcome and self._previous is not None:
                self._last_seen.setdefault(attempt.id, self._previous)

    def _end(self, change: AttemptEnded, at: datetime) -> None:
        seen = self._last_seen.get(change.id)
        self._update(
            change.id,
            until=at if seen is None else seen,
            outcome=change.outcome,
            settled_by=change.settled_by,
            note=change.note,
            spent=change.spent,
            observed=seen is None,
        )

    def _add_decision(self, decision: TaskDecision) -> None:
        attempt = self._attempts.get(decision.attempt)
        if attempt is not None:
            self._update(attempt.id, decisions=(*attempt.decisions, decision))

    def _update(self, attempt_id: str, **changed: object) -> None:
        attempt = self._attempts.get(attempt_id)
        if attempt is not None:
            self._attempts[attempt_id] = replace(attempt, **changed)


def count_calls(attempts: Iterable[AttemptRecord]) -> tuple[int, int]:
    """Return how many of the attempts asked a model, and how many used a tool."""
    kinds = [attempt.kind for attempt in attempts if attempt.kind != DELEGATE]
    return kinds.count(THINK), len(kinds) - kinds.count(THINK)
