"""Facts: changes that are never undone. Leases, attempts, costs, conversation, proofs, notes."""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from datetime import datetime
from typing import Final

from msgspec import field
from msgspec.structs import replace

from outlast.model.budget import NO_LIMIT, NOTHING, Budget, Spend, add_spend
from outlast.model.changes.plan import Fact
from outlast.model.ledger import THINK, Conversation, DoneAttempt, LoopCounters, TaskProofs
from outlast.model.limits import RESULT_CHARACTERS
from outlast.model.model import (
    FILES_KEPT,
    AgentSession,
    Attempt,
    Check,
    Confirmation,
    ErrorRecord,
    Finding,
    Footprint,
    Interjection,
    Lease,
    Outcome,
    Proof,
    Prose,
    Question,
    Refuser,
    SettledBy,
    TaskDecision,
    TaskReport,
)
from outlast.model.replan_position import OBSERVATIONS_KEPT, START, Observation, ReplanPosition
from outlast.model.state import PlanState

_KEPT_KINDS: Final = ("ask", "goal")  # what people said about the plan stays until it ends
_ANSWERS_KEPT: Final = 5  # of the other kinds
_STRIKES_KEPT: Final = 100  # of each tool
_DONE_KEPT: Final = 5
_DECISIONS_KEPT: Final = 100
_WHAT_CHARACTERS: Final = 200


class IterationCounted(Fact, frozen=True):
    """One more iteration was spent; `total` is the count after it."""

    total: int
    task: int = 0

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.iteration_count = self.total
        if self.task:
            count_task_iteration(state, self.task)


class TaskLeased(Fact, frozen=True):
    """An actor leased a task in progress, or the plan itself (0)."""

    id: int
    holder: str
    token: int
    until: datetime
    process: str = ""

    def apply(self, state: PlanState, _at: datetime) -> None:
        lease = Lease(self.id, self.holder, self.token, self.until, self.process)
        state.put(state.ledger.leases, self.id, lease)
        state.ledger.last_token = self.token

    def is_applicable(self, state: PlanState) -> bool:
        if self.token <= state.ledger.last_token:
            return False
        task = state.tasks.get(self.id)
        if task is None:
            return self.id == 0
        return task.status == "in_progress" and task.actor == self.holder


class LeaseRenewed(Fact, frozen=True):
    """A lease was extended."""

    id: int
    until: datetime

    def apply(self, state: PlanState, _at: datetime) -> None:
        leases = state.ledger.leases
        state.put(leases, self.id, replace(leases[self.id], until=self.until))

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.ledger.leases


class LeaseEnded(Fact, frozen=True):
    """The lease of the plan itself (0) ended."""

    id: int

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.drop(state.ledger.leases, self.id)

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.ledger.leases


class AttemptBegan(Fact, frozen=True):
    """An attempt began for a task, or for the plan itself (0)."""

    id: str
    task: int
    kind: str
    what: str
    digest: str = ""
    token: int = 0
    reserve: Spend = NOTHING

    def apply(self, state: PlanState, at: datetime) -> None:
        attempt = Attempt(
            self.id, self.task, self.kind, self.what, self.digest, at, self.token, self.reserve
        )
        state.put(state.ledger.attempts, self.id, attempt)
        state.ledger.attempts_begun += 1

    def is_applicable(self, state: PlanState) -> bool:
        exists = self.task == 0 or self.task in state.tasks
        return exists and attempt_number(self.id) not in map(attempt_number, state.ledger.attempts)


class AttemptEnded(Fact, frozen=True):
    """An attempt ended with this outcome; `said` is what a reply says about the task."""

    id: str
    outcome: Outcome
    settled_by: SettledBy = ""
    note: str = ""
    spent: Spend = NOTHING
    planning: Spend = NOTHING
    said: str = ""

    def apply(self, state: PlanState, _at: datetime) -> None:
        attempt = state.ledger.attempts[self.id]
        state.drop(state.ledger.attempts, self.id)
        task = state.tasks.get(attempt.task)
        if self.outcome == "done" and task is not None and task.status == "in_progress":
            earlier = state.ledger.done.get(attempt.task, ())
            done = add_done(earlier, attempt, self.settled_by)
            if done is not earlier:
                state.put(state.ledger.done, attempt.task, done)
            if self.said:
                said = add_said(state.ledger.said.get(attempt.task, ()), self.said)
                state.put(state.ledger.said, attempt.task, said)
        if self.spent != NOTHING:
            _charge(state, attempt.task, self.spent, self.planning)

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.ledger.attempts


class BudgetSet(Fact, frozen=True):
    """The budget of the plan (task 0) or of a task was set."""

    budget: Budget
    task: int = 0

    def apply(self, state: PlanState, _at: datetime) -> None:
        budgets = {**state.ledger.counters.budgets, self.task: self.budget}
        if self.budget == NO_LIMIT:
            del budgets[self.task]
        state.ledger.update_counters(budgets=budgets)

    def is_applicable(self, state: PlanState) -> bool:
        return self.task == 0 or self.task in state.tasks


class Charged(Fact, frozen=True):
    """A cost outside an attempt was recorded."""

    spend: Spend
    task: int = 0
    planning: Spend = NOTHING

    def apply(self, state: PlanState, _at: datetime) -> None:
        _charge(state, self.task, self.spend, self.planning)

    def is_applicable(self, state: PlanState) -> bool:
        return self.task == 0 or self.task in state.tasks


class ReportNoted(Fact, frozen=True):
    """An agent reported about an attempt of a task; its session can go on."""

    task: int
    report: TaskReport

    def apply(self, state: PlanState, _at: datetime) -> None:
        ledger, report = state.ledger, self.report
        state.put(ledger.reports, self.task, report)
        if report.session:
            session = AgentSession(report.agent, report.attempt)
            state.put(ledger.sessions, report.session, session)

    def is_applicable(self, state: PlanState) -> bool:
        return self.task in state.tasks


class DecisionNoted(Fact, frozen=True):
    """It was decided what follows from an attempt of a task."""

    decision: TaskDecision

    def apply(self, state: PlanState, _at: datetime) -> None:
        decisions = (*state.ledger.decisions, self.decision)
        state.ledger.decisions = decisions[-_DECISIONS_KEPT:]

    def is_applicable(self, state: PlanState) -> bool:
        return self.decision.task in state.tasks


class SessionBegan(Fact, frozen=True):
    """An agent began or went on with a session, for an attempt of a task."""

    session: str
    used: AgentSession

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.put(state.ledger.sessions, self.session, self.used)


class FootprintNoted(Fact, frozen=True):
    """An attempt of a task left its footprint in the workspace."""

    task: int
    footprint: Footprint

    def apply(self, state: PlanState, _at: datetime) -> None:
        footprints = state.ledger.footprints
        whole = extend_footprint(footprints.get(self.task), self.footprint)
        state.put(footprints, self.task, whole)

    def is_applicable(self, state: PlanState) -> bool:
        return self.task in state.tasks


class SessionEnded(Fact, frozen=True):
    """A session of an agent needs no further command."""

    session: str

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.drop(state.ledger.sessions, self.session)


class ReplanMoved(Fact, frozen=True):
    """The replan loop moved on, perhaps after a tool run."""

    position: ReplanPosition
    observation: Observation | None = None

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.ledger.replan = self.position
        if self.observation is not None:
            observations = (*state.ledger.observations, self.observation)
            state.ledger.observations = observations[-OBSERVATIONS_KEPT:]


class QuestionAsked(Fact, frozen=True):
    """A person was asked."""

    question: Question

    def apply(self, state: PlanState, _at: datetime) -> None:
        conversation, question = state.ledger.conversation, self.question
        questions = {**conversation.questions, question.id: question}
        state.ledger.update_conversation(
            questions=questions, last_question=max(conversation.last_question, question.id)
        )

    def is_applicable(self, state: PlanState) -> bool:
        return self.question.id > state.ledger.conversation.last_question


class QuestionAnswered(Fact, frozen=True):
    """A person answered."""

    id: int
    answer: str
    by: str

    def apply(self, state: PlanState, at: datetime) -> None:
        questions = state.ledger.conversation.questions
        answered = replace(
            questions[self.id],
            answer=self.answer,
            by=self.by,
            answered_at=at,
            iteration=state.iteration_count if questions[self.id].kind == "settle" else 0,
        )
        state.ledger.update_conversation(
            questions=_drop_old_answers({**questions, self.id: answered})
        )

    def is_applicable(self, state: PlanState) -> bool:
        question = state.ledger.conversation.questions.get(self.id)
        return question is not None and (question.answer is None or question.kind == "permit")


class Interjected(Fact, frozen=True):
    """A person sent a message to the loop, which has read it already if it is `heard`."""

    interjection: Interjection = field(name="said")
    heard: bool = False

    def apply(self, state: PlanState, _at: datetime) -> None:
        conversation, interjection = state.ledger.conversation, self.interjection
        table = "heard" if self.heard else "interjections"
        state.ledger.update_conversation(
            last_interjection=max(conversation.last_interjection, interjection.id),
            **{table: (*getattr(conversation, table), interjection)},
        )

    def is_applicable(self, state: PlanState) -> bool:
        return self.interjection.id > state.ledger.conversation.last_interjection


class InterjectionsTaken(Fact, frozen=True):
    """The loop has read the interjections up to this number; later ones get a higher one.

    Those with the numbers `dropped` are not kept.
    """

    last: int
    dropped: tuple[int, ...] = ()

    def apply(self, state: PlanState, _at: datetime) -> None:
        conversation = state.ledger.conversation
        unread = conversation.interjections
        read = (each for each in unread if each.id <= self.last and each.id not in self.dropped)
        state.ledger.update_conversation(
            heard=(*conversation.heard, *read),
            interjections=tuple(each for each in unread if each.id > self.last),
            last_interjection=max(conversation.last_interjection, self.last),
        )


class LoopNoted(Fact, frozen=True):
    """Loop counters changed; None is unchanged."""

    managed: bool | None = None
    stops: int | None = None
    seen: int | None = None

    def apply(self, state: PlanState, _at: datetime) -> None:
        given = {"managed": self.managed, "stops": self.stops, "seen": self.seen}
        state.ledger.update_counters(
            **{name: value for name, value in given.items() if value is not None}
        )


class StruckOut(Fact, frozen=True):
    """A tool is refused with these parameters."""

    tool: str
    params: str

    def apply(self, state: PlanState, _at: datetime) -> None:
        strikes = state.ledger.strikes
        others = (params for params in strikes.get(self.tool, ()) if params != self.params)
        state.ledger.strikes = {**strikes, self.tool: (*others, self.params)[-_STRIKES_KEPT:]}


class StrikesCleared(Fact, frozen=True):
    """The strikes of a tool, or of all tools, were cleared."""

    tool: str | None = None

    def apply(self, state: PlanState, _at: datetime) -> None:
        strikes = state.ledger.strikes
        others = () if self.tool is None else (tool for tool in strikes if tool != self.tool)
        state.ledger.strikes = {tool: strikes[tool] for tool in others}


class RefusalNoted(Fact, frozen=True):
    """A call was refused before it ran, by a hook or for want of a permission."""

    what: str
    by: Refuser
    note: str = ""
    task: int = 0

    def is_applicable(self, state: PlanState) -> bool:
        return self.task == 0 or self.task in state.tasks


class LoopRestored(Fact, frozen=True, tag="LoopRetold"):
    """What loops and agents had recorded was restored from a snapshot."""

    counters: LoopCounters = field(name="books")
    conversation: Conversation = field(name="talk")
    strikes: dict[str, tuple[str, ...]] = field(default_factory=dict, name="struck")
    reports: dict[int, TaskReport] = field(default_factory=dict)
    decisions: tuple[TaskDecision, ...] = ()
    sessions: dict[str, AgentSession] = field(default_factory=dict)
    footprints: dict[int, Footprint] = field(default_factory=dict)
    replan: ReplanPosition = START
    observations: tuple[Observation, ...] = ()

    def apply(self, state: PlanState, _at: datetime) -> None:
        ledger, restored, before = state.ledger, self.conversation, state.ledger.conversation
        ledger.counters, ledger.conversation, ledger.strikes = (
            replace(self.counters, spent=dict(self.counters.spent)),  # which is modified in place
            self.conversation,
            self.strikes,
        )
        ledger.reports, ledger.sessions = {**self.reports}, {**self.sessions}
        ledger.decisions, ledger.footprints = self.decisions, {**self.footprints}
        ledger.replan, ledger.observations = self.replan, self.observations
        busy, counts = {*state.tasks_in_progress()}, self.counters.iterations
        ledger.update_counters(iterations={task: counts[task] for task in counts if task in busy})
        ledger.update_conversation(
            last_question=max(restored.last_question, before.last_question),
            last_interjection=max(restored.last_interjection, before.last_interjection),
        )


class ProofNoted(Fact, frozen=True):
    """The checks of a task were run, or its protected files were digested."""

    proof: Proof

    def apply(self, state: PlanState, _at: datetime) -> None:
        proof, proofs = self.proof, state.ledger.proofs
        old = proofs.get(proof.task, TaskProofs())
        kind = "baseline" if proof.stage in ("set", "before") else "latest"
        state.put(proofs, proof.task, replace(old, **{kind: proof}))

    def is_applicable(self, state: PlanState) -> bool:
        return self.proof.task in state.tasks


class CheckConfirmed(Fact, frozen=True):
    """A person confirmed a check of a task."""

    id: int
    check: Check
    by: str

    def apply(self, state: PlanState, at: datetime) -> None:
        proofs = state.ledger.proofs
        old = proofs.get(self.id, TaskProofs())
        others = (given for given in old.confirmed if given.check != self.check)
        given = Confirmation(self.check, self.by, at)
        state.put(proofs, self.id, replace(old, confirmed=(*others, given)))

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.tasks


class FindingNoted(Fact, frozen=True):
    """A finding was added, edited, or counted again."""

    finding: Finding

    def apply(self, state: PlanState, _at: datetime) -> None:
        notes, finding = state.notes, self.finding
        state.put(notes.findings, finding.id, finding)
        notes.last_finding = max(notes.last_finding, finding.id)


class FindingForgotten(Fact, frozen=True):
    """A finding was removed; its id is not reused."""

    id: int

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.drop(state.notes.findings, self.id)

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.notes.findings


class ErrorNoted(Fact, frozen=True):
    """An error was added, or counted again."""

    key: str
    error: ErrorRecord

    def apply(self, state: PlanState, _at: datetime) -> None:
        notes = state.notes
        state.put(notes.errors, self.key, self.error)
        notes.last_error = max(notes.last_error, self.error.id)


class ErrorsForgotten(Fact, frozen=True):
    """Errors were removed, and their strikes with them."""

    keys: tuple[str, ...]

    def apply(self, state: PlanState, _at: datetime) -> None:
        for key in self.keys:
            state.drop(state.notes.errors, key)


class Delivered(Fact, frozen=True):
    """The deliverable was set, or the closing `answer` of a run."""

    text: str
    answer: bool = False

    def apply(self, state: PlanState, _at: datetime) -> None:
        if self.answer:
            state.notes.answer = self.text
        else:
            state.notes.deliverable = self.text


class ProseKept(Fact, frozen=True):
    """The prose was replaced."""

    prose: tuple[Prose, ...]

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.notes.prose = self.prose


def attempt_number(attempt: str) -> int:
    """Return the number in the id of an attempt."""
    return int(attempt.partition("#")[2])


def count_task_iteration(state: PlanState, task: int) -> None:
    """Count an iteration of a task, if it is in progress."""
    current = state.tasks.get(task)
    if current is not None and current.status == "in_progress":
        counters = state.ledger.counters
        counts = {**counters.iterations, task: counters.iterations.get(task, 0) + 1}
        state.ledger.update_counters(iterations=counts)


def _charge(state: PlanState, task: int, spend: Spend, planning: Spend) -> None:
    """Add a cost to the plan, and to the task that caused it."""
    counters = state.ledger.counters
    spent = counters.spent or {}  # the shared empty one must not be modified
    for scope in {0, task}:
        state.put(spent, scope, add_spend(spent.get(scope, NOTHING), spend))
    state.ledger.update_counters(spent=spent, planning=add_spend(counters.planning, planning))


def add_done(
    earlier: tuple[DoneAttempt, ...], attempt: Attempt, settled_by: SettledBy
) -> tuple[DoneAttempt, ...]:
    """Add a done attempt to the last few different ones of a task; model calls do not count."""
    if attempt.kind == THINK:
        return earlier
    done = DoneAttempt(attempt.id, attempt.kind, attempt.what[:_WHAT_CHARACTERS], settled_by)
    others = (other for other in earlier if other.what != done.what)
    return (*others, done)[-_DONE_KEPT:]


def add_said(earlier: tuple[str, ...], said: str) -> tuple[str, ...]:
    """Add what a reply says about a task to what earlier ones say; keep as much as a result has."""
    kept, left = [said], RESULT_CHARACTERS - len(said)
    for text in reversed(earlier):
        left -= len(text)
        if left < 0:
            break
        if text != said:
            kept.append(text)
    return tuple(reversed(kept))


def extend_footprint(earlier: Footprint | None, latest: Footprint) -> Footprint:
    """Return the footprint of all attempts of a task."""
    if earlier is None:
        return latest
    known = (*earlier.outside, *(path for path in latest.outside if path not in earlier.outside))
    return replace(
        latest,
        before=earlier.before,
        outside=known[:FILES_KEPT],
        count=max(earlier.count, latest.count, len(known)),
        shared=earlier.shared or latest.shared,
    )


def _drop_old_answers(questions: dict[int, Question]) -> dict[int, Question]:
    """Return the questions without the answered ones of brief use, except for the last few."""
    answered = [
        number
        for number, question in questions.items()
        if question.answer is not None and question.kind not in _KEPT_KINDS
    ]
    old = set(answered[:-_ANSWERS_KEPT])
    return {number: questions[number] for number in questions if number not in old}
