"""Facts beside the tasks that are never undone: the ledger (work, counters) and the notes."""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

import re
from collections.abc import Iterator
from datetime import datetime
from operator import attrgetter
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from outlast.model.budget import NOTHING, Budget, Spend
from outlast.model.model import (
    AgentSession,
    Attempt,
    Confirmation,
    ErrorRecord,
    Finding,
    Footprint,
    Interjection,
    Lease,
    PauseReason,
    PhaseStatus,
    Proof,
    Prose,
    Question,
    SettledBy,
    StateOf,
    Task,
    TaskDecision,
    TaskReport,
    cannot_tell,
)
from outlast.model.replan_position import START, Observation, ReplanPosition

_NUMBERS: Final = re.compile("[0-9]+")
_KEY_CHARACTERS: Final = 100

# Kinds of attempts
THINK: Final = "think"  # without effects: repeating it does no harm
DELEGATE: Final = "delegate"  # the work of an agent on a task


class LoopCounters(Struct, frozen=True, omit_defaults=True):
    """Budgets and costs by task (0 is the whole plan), and the counters of the plan's loop.

    `planning` is the part of the costs that was spent on the plan itself. `iterations` counts per
    task in progress. `seen` is the revision up to which the model knows what people changed.
    """

    budgets: dict[int, Budget] = {}
    spent: dict[int, Spend] = {}
    planning: Spend = NOTHING
    iterations: dict[int, int] = {}
    managed: bool = False
    stops: int = 0
    pause_reason: PauseReason = field(default="", name="paused_for")
    seen: int = 0


class Conversation(Struct, frozen=True, omit_defaults=True):
    """Questions by number, interjections not yet read, and those `heard`.

    What people said stays until the plan ends. Of the answers to permissions, settlements and
    edits only the last few are kept. Numbers are never reused.
    """

    questions: dict[int, Question] = {}
    last_question: int = field(default=0, name="asked")
    interjections: tuple[Interjection, ...] = field(default=(), name="said")
    last_interjection: int = field(default=0, name="spoken")
    heard: tuple[Interjection, ...] = ()

    @property
    def last_taken(self) -> int:
        """The number of the last interjection that was read."""
        unread = self.interjections
        return unread[0].id - 1 if unread else self.last_interjection

    @property
    def messages(self) -> tuple[Interjection, ...]:
        """Everything people have said to the loop, read or not, oldest first."""
        return tuple(sorted((*self.heard, *self.interjections), key=attrgetter("id")))


NO_COUNTS: Final = LoopCounters()
NO_CONVERSATION: Final = Conversation()


class DoneAttempt(Struct, frozen=True, gc=False, omit_defaults=True):
    """A summary of an attempt that was done; `settled_by` if its end was not observed."""

    id: str
    kind: str
    what: str
    settled_by: SettledBy = ""


class TaskProofs(Struct, frozen=True, gc=False, omit_defaults=True):
    """The proofs of a task's checks: the baseline, the latest, and what people confirmed."""

    baseline: Proof | None = None
    latest: Proof | None = None
    confirmed: tuple[Confirmation, ...] = ()


class Ledger(Struct, omit_defaults=True):
    """Leases by task, open attempts by id, and how many of both there have been.

    The lease of task 0 is the plan's own: it belongs to the one runner that works on the plan.
    `done` has the last few attempts of each task in progress since the task was started.
    `phase_marks` are phase states that were set explicitly. Tokens and attempt numbers are never
    reused, not even by the next plan. `strikes` are the parameters, as digests, with which a tool
    is refused. The values of `counters`, `conversation` and `strikes` are replaced, never modified,
    except for `counters.spent`, which can be large. `reports` has the last report about each task,
    `decisions` the last ones of all, `sessions` those with agents that are not ended, `footprints`
    what the work on each task left in the workspace. `replan` is where the replan loop stands,
    `observations` the last ones of its tool runs. `said` is what the latest replies say
    about each task in progress, oldest first. Tables are modified by `PlanState.put` and `drop`
    only.
    """

    leases: dict[int, Lease] = {}
    attempts: dict[str, Attempt] = {}
    attempts_begun: int = 0
    last_token: int = 0
    done: dict[int, tuple[DoneAttempt, ...]] = {}
    proofs: dict[int, TaskProofs] = {}
    phase_marks: dict[str, PhaseStatus] = field(default_factory=dict, name="marked")
    counters: LoopCounters = field(default=NO_COUNTS, name="books")
    conversation: Conversation = field(default=NO_CONVERSATION, name="talk")
    strikes: dict[str, tuple[str, ...]] = field(default_factory=dict, name="struck")
    reports: dict[int, TaskReport] = {}
    decisions: tuple[TaskDecision, ...] = ()
    sessions: dict[str, AgentSession] = {}
    footprints: dict[int, Footprint] = {}
    replan: ReplanPosition = START
    observations: tuple[Observation, ...] = ()
    said: dict[int, tuple[str, ...]] = {}

    def carry_over(self) -> "Ledger":
        """Return the ledger of the next plan: empty, with counters that continue.

        The plan's lease stays, since its holder may be the runner that creates the next plan.
        """
        plan_lease: dict[int, Lease] = {0: self.leases[0]} if 0 in self.leases else {}
        ledger = Ledger(plan_lease, attempts_begun=self.attempts_begun, last_token=self.last_token)
        ledger.update_conversation(
            last_question=self.conversation.last_question,
            last_interjection=self.conversation.last_interjection,
        )
        return ledger

    def update_counters(self, **changed: object) -> None:
        """Update counters; reuse the shared empty instance when all are zero."""
        counters = replace(self.counters, **changed)
        self.counters = NO_COUNTS if counters == NO_COUNTS else counters

    def set_pause_reason(self, reason: PauseReason) -> None:
        """Record why the plan is paused; empty if it is not."""
        if self.counters.pause_reason != reason:
            self.update_counters(pause_reason=reason)

    def update_conversation(self, **changed: object) -> None:
        """Update the conversation; reuse the shared empty instance when there is none."""
        conversation = replace(self.conversation, **changed)
        is_empty = conversation == NO_CONVERSATION
        self.conversation = NO_CONVERSATION if is_empty else conversation

    def reset_loop_counts(self, task: int, *, was_in_progress: bool) -> None:
        """Reset the counters that last until a task changes its status, or leaves progress."""
        counts = self.counters.iterations
        if was_in_progress and task in counts:
            counts = {other: count for other, count in counts.items() if other != task}
        if self.counters.stops or counts is not self.counters.iterations:
            self.update_counters(iterations=counts, stops=0)

    def unsettled_call(self) -> Attempt | None:
        """Return a tool call whose end is not recorded: it may still run if its runner died."""
        calls = (attempt for attempt in self.attempts.values() if attempt.kind != THINK)
        return next(calls, None)

    def report_since_start(self, task: Task) -> TaskReport | None:
        """Return what was reported about a task since its present start."""
        report = self.reports.get(task.id)
        is_old = report is not None and task.started_at is not None and report.at < task.started_at
        return None if is_old else report

    def last_session(self, agent: str, *, task: int = 0, attempt: str = "") -> str:
        """Return the session that an agent used last, for a task or an attempt if one is given."""
        last, newest = "", 0
        for session, used in self.sessions.items():
            of_task, number = map(int, used.attempt.split("#"))
            is_meant = attempt in ("", used.attempt) and task in (0, of_task)
            if used.agent == agent and is_meant and number >= newest:
                last, newest = session, number
        return last

    def expired_tasks(self, now: datetime) -> Iterator[int]:
        """Yield the tasks whose lease has expired, in no particular order."""
        leases = self.leases.values()
        return (lease.task for lease in leases if lease.task and not lease.is_live(now))

    def live_lease(self, task: int, now: datetime, state_of: StateOf = cannot_tell) -> Lease | None:
        """Return the lease of a task, or of the plan itself, that holds now."""
        lease = self.leases.get(task)
        return lease if lease is not None and lease.is_live(now, state_of) else None


class Notes(Struct, omit_defaults=True):
    """Findings by id and errors by strike key, in order of arrival, and their last ids.

    `answer` is what the model said at the end of the last run that finished the plan.
    """

    findings: dict[int, Finding] = {}
    errors: dict[str, ErrorRecord] = {}
    last_finding: int = field(default=0, name="noted")
    last_error: int = field(default=0, name="logged")
    deliverable: str = ""
    answer: str = ""
    prose: tuple[Prose, ...] = ()


def strike_key(tool: str, message: str) -> str:
    """Return the key under which equal errors of a tool are counted (R4.07).

    It has every number in the message replaced by N.
    """
    return f"{tool}:{_NUMBERS.sub('N', message)[:_KEY_CHARACTERS]}"
