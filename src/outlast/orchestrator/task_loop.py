"""The task loop: let an agent work on one task until it is done or something else is decided.

Everything that it needs after a crash is in the plan, so it begins where the work stands: with the
question that nobody has answered, the answer that nothing has followed from, the report that nobody
has decided about; else with the next attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.events import StopReason
from outlast.agent.loops.endings import LoopEnd
from outlast.agent.loops.questions import ask_again
from outlast.agent.work import AT_WORK, BY_PERSON, WorkResult
from outlast.errors import (
    CheckFailed,
    CheckNotApproved,
    CheckUnknown,
    ModelFailed,
    OutOfBudget,
    PlanNotActive,
    ProofNeeded,
)
from outlast.language import Language, clauses, text
from outlast.model.commands import (
    Abort,
    Command,
    Complete,
    Confirm,
    EditTask,
    Fail,
    NoteDecision,
    NoteReport,
    Reopen,
    Skip,
    Start,
)
from outlast.model.intents import parse_yes_or_no
from outlast.model.model import OUTLAST, PERSON, Check, Question, TaskReport
from outlast.orchestrator.evaluation import Verdict, evaluate, find_unconfirmed, red_verdict
from outlast.orchestrator.task_questions import (
    Choice,
    ask_to_confirm,
    ask_to_work,
    ask_what_to_do,
    parse_choice,
    settle_attempt,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent.agent_spec import Delegation
    from outlast.agent.effects import Checked, Recorded, TaskPosition

_RESULT_CHARACTERS: Final = 2_000
_REASON_CHARACTERS: Final = 1_000
_ADVICE_CHARACTERS: Final = 8_000
_UNPROVED: Final = (CheckFailed.code, ProofNeeded.code)
_NO_LIMIT: Final = 1_000_000  # of retries: a person is asked before the plan gives up on a task

# Codes of failures that stop the run, not only the task.
_RUN_FAILURES: Final = (OutOfBudget.code, PlanNotActive.code, ModelFailed.code)

_CHOSEN: Final[dict[Choice, str]] = {
    "done": "person_chose_done",
    "retry": "person_chose_retry",
    "edit": "person_chose_edit",
    "skip": "person_chose_skip",
    "abort": "person_chose_abort",
}

TaskOutcome = Literal[
    "done",
    "skipped",
    "returned",
    "replan",
    "aborted",
    "unanswered",
    "unapproved",
    "unsettled",
    "stopped",
]


class TaskEnd(Struct, frozen=True):
    """How the work on a task ended in this run, and why.

    It was `returned` if it can go on later, `unanswered` if a person has to say something first,
    `unsettled` if they have to say how an attempt ended, `unapproved` if its checks may not run.
    `why` is set if the whole run has to stop.
    """

    task: int
    outcome: TaskOutcome
    reason: str = ""
    why: StopReason = "waiting"


def work_on_task(
    task: int, options: Delegation, language: Language, may_go_on: Callable[[], bool]
) -> e.Loop[TaskEnd]:
    """Work on a task that is ready or in progress, until it has ended or others must decide.

    No attempt begins after `may_go_on` has returned false.
    """
    try:
        return (yield from _TaskWork(task, options, language, may_go_on).run())
    except LoopEnd as end:
        return TaskEnd(task, "stopped", end.text, end.why)


class _TaskWork:
    """The work on one task; `_denied` tells what the last attempt was not permitted to do."""

    def __init__(
        self, task: int, options: Delegation, language: Language, may_go_on: Callable[[], bool]
    ) -> None:
        self._task, self._options, self._language = task, options, language
        self._may_go_on = may_go_on
        self._denied = ""

    def run(self) -> e.Loop[TaskEnd]:
        end = yield from self._begin()
        while end is None:
            end = yield from self._go_on((yield from self._read_position()))
        return end

    def _begin(self) -> e.Loop[TaskEnd | None]:
        """Start the task, with its checks as the baseline, and try once; one in progress goes on.

        What was reported before the task was started again counts no longer.
        """
        position = yield from self._read_position()
        if position.task.status == "in_progress":
            return (yield from self._settle_attempts(position.task.name))
        if not position.is_open:
            return self._end_elsewhere()
        return (yield from self._start())

    def _settle_attempts(self, name: str) -> e.Loop[TaskEnd | None]:
        """Find out how the attempts ended that a crash left open; ask where nobody can know."""
        for attempt in (yield from e.record()).plan.attempts:
            if attempt.task == self._task and not (
                yield from settle_attempt(attempt, self._language, name)
            ):
                problem = text("orders_unsettled", self._language, tasks=[self._task])
                return self._end("unsettled", problem)
        return None

    def _go_on(self, position: TaskPosition) -> e.Loop[TaskEnd | None]:
        """Do what comes next, as the plan tells."""
        report, decision = position.report, position.decision
        if not position.is_open:
            return self._end_elsewhere()
        if position.question is not None:
            return (yield from self._answer(position, position.question))
        if report is not None and decision is None:
            return (yield from self._follow(position, report))
        if decision is not None and decision.decision == "replan":
            return self._end("replan", decision.reason)
        return (yield from self._attempt(position))

    def _start(self) -> e.Loop[TaskEnd | None]:
        """Start the task and try once."""
        view = (yield from e.record()).plan
        started = yield from e.record(Start(view.actor, self._task))
        if started.outcome.error:
            return self._end_refused(started.outcome.code, started.outcome.error)
        position = yield from self._read_position()
        return (yield from self._attempt(position)) if position.is_open else self._end_elsewhere()

    def _attempt(self, position: TaskPosition) -> e.Loop[TaskEnd | None]:
        """Let the agent work once; decide at once about an attempt without a report."""
        if not self._may_go_on():
            return self._end("returned")
        delegated = (
            yield from e.Delegate(position.order, task=self._task, timeout=position.order.timeout)
        ).outcome
        result, attempt = delegated.result, delegated.attempt
        if not attempt or result.code in _RUN_FAILURES:
            refusal = result if attempt else delegated
            return self._end_refused(refusal.code, refusal.error)
        return (yield from self._react(position, attempt, result))

    def _react(
        self, position: TaskPosition, attempt: str, result: WorkResult
    ) -> e.Loop[TaskEnd | None]:
        """Do what follows at once from how an attempt ended; a report is read from the plan."""
        self._denied = self._describe_denial(result.denied)
        if result.denied and position.order.run and not position.order.may_run:
            return self._end("unapproved", self._denied)
        if result.denied and result.report is None:
            return (yield from self._ask_after_denial(position, attempt))
        if result.code == AT_WORK:
            return (yield from self._settle(position, attempt, result.error))
        if result.code == BY_PERSON:
            answer = yield from ask_to_work(position.order, attempt, self._language)
            return self._unless_answered(answer, text("person_has_to_work", self._language))
        if result.report is None:
            failed = Verdict("retry", result.error or text("agent_failed", self._language))
            return (yield from self._fail(position, attempt, failed))
        return None

    def _describe_denial(self, calls: tuple[str, ...]) -> str:
        """Return what the agent was not permitted to do, in words."""
        return text("agent_denied", self._language, calls=list(calls)) if calls else ""

    def _settle(self, position: TaskPosition, attempt: str, error: str) -> e.Loop[TaskEnd | None]:
        """Let checks or a person tell how an attempt ended whose agent may still be at work."""
        proof = (yield from e.RunChecks(self._task)).outcome.proof
        evidence = () if proof is None else proof.evidence
        was_red = any(item.baseline == "red" for item in evidence)
        if not (was_red and all(item.ok for item in evidence)):
            return (yield from self._ask(position, attempt, error))
        confirmed = text("checks_confirmed_late", self._language)
        yield from e.record(NoteReport(attempt, OUTLAST, "SUCCESS", results=confirmed))
        return None

    def _follow(self, position: TaskPosition, report: TaskReport) -> e.Loop[TaskEnd | None]:
        """Check and evaluate a report, and carry out what is decided."""
        self._denied = self._describe_denial(report.denied)
        checked = yield from e.RunChecks(self._task)
        if checked.outcome.code == CheckNotApproved.code:
            return self._end("unapproved", checked.outcome.error)
        if checked.outcome.error:  # such as a check that the agent has changed
            return (yield from self._ask(position, report.attempt, checked.outcome.error))
        if checked.outcome.is_unknown:
            return (yield from self._ask_unknown(position, report, checked.outcome))
        how = (self._options.has_model, self._language)
        verdict = yield from evaluate(position, report, checked, *how)
        if verdict is None:
            problem = text("report_unclear", self._language)
            problem = "\n".join(filter(None, (problem, checked.outcome.output, report.results)))
            return (yield from self._ask(position, report.attempt, problem))
        if verdict.decision == "next":
            return (yield from self._complete(position, report, checked.outcome, verdict))
        return (yield from self._decide(position, report, verdict))

    def _decide(
        self, position: TaskPosition, report: TaskReport, verdict: Verdict
    ) -> e.Loop[TaskEnd | None]:
        """Carry out what was decided about a task that is not done.

        A replan is carried out by who changes the plan; until then the task stays in progress.
        """
        if verdict.decision == "retry":
            return (yield from self._fail(position, report.attempt, verdict))
        if verdict.decision == "abort":
            refusal = yield from self._record(report.attempt, verdict, Abort())
            return self._end_after(refusal, "aborted", verdict.reason)
        refusal = yield from self._record(report.attempt, verdict)
        return self._end_after(refusal, "replan", verdict.reason)

    def _complete(
        self, position: TaskPosition, report: TaskReport, checked: Checked, verdict: Verdict
    ) -> e.Loop[TaskEnd | None]:
        """Complete the task; a red check turns the decision into a retry with its output."""
        view = (yield from e.record()).plan
        result = report.results.strip()[:_RESULT_CHARACTERS]
        complete = Complete(self._task, view.actor, result, proof=checked.proof)
        problem, output = checked.problem, checked.output
        if checked.is_unknown:
            return (yield from self._ask_unknown(position, report, checked))
        if unconfirmed := find_unconfirmed(checked):
            return (yield from self._get_confirmed(position, report, unconfirmed))
        if self._denied:
            reason = clauses((verdict.reason, self._denied), self._language)
            verdict = replace(verdict, reason=reason)
        if checked.is_green:
            refusal = yield from self._record(report.attempt, verdict, complete)
            if refusal is None:
                return self._end("done", verdict.reason)
            if refusal.code == CheckUnknown.code:
                return (yield from self._ask(position, report.attempt, refusal.error))
            if refusal.code not in _UNPROVED:
                return self._end_refused(refusal.code, refusal.error)
            problem = output = refusal.error
        return (
            yield from self._fail(
                position, report.attempt, red_verdict(problem, output, self._language)
            )
        )

    def _ask_unknown(
        self, position: TaskPosition, report: TaskReport, checked: Checked
    ) -> e.Loop[TaskEnd | None]:
        """Ask about a task whose checks show nothing: its work must not be repeated unasked."""
        problem = text("checks_unknown", self._language, problem=checked.problem)
        return (yield from self._ask(position, report.attempt, problem))

    def _get_confirmed(
        self, position: TaskPosition, report: TaskReport, checks: list[Check]
    ) -> e.Loop[TaskEnd | None]:
        """Let a person confirm what only they can tell; if they report it themselves, they do."""
        if report.agent == PERSON:
            return (yield from self._confirm(position, report, checks, PERSON))
        rules = (check.rule for check in checks)
        answer = yield from ask_to_confirm(position.task, report.attempt, rules, self._language)
        return self._unless_answered(answer, text("person_needed", self._language))

    def _confirm(
        self, position: TaskPosition, report: TaskReport, checks: list[Check], by: str
    ) -> e.Loop[TaskEnd | None]:
        """Confirm checks as a person, and complete the task if nothing else is in the way."""
        commands = (Confirm(self._task, check, PERSON) for check in checks)
        yield from e.record(*commands, author=PERSON)
        checked = (yield from e.RunChecks(self._task)).outcome
        if find_unconfirmed(checked) or checked.error:
            return self._end("returned", checked.problem)
        verdict = Verdict("next", text("person_has_confirmed", self._language), by=by)
        return (yield from self._complete(position, report, checked, verdict))

    def _fail(
        self, position: TaskPosition, attempt: str, verdict: Verdict
    ) -> e.Loop[TaskEnd | None]:
        """Count a failed attempt and start the next one; after the last one, ask a person.

        What failed after the agent was denied something is never tried again just so.
        """
        if self._denied:
            return (yield from self._ask_after_denial(position, attempt, verdict.reason))
        if position.task.retry_count + 1 >= self._options.attempts:
            said = (verdict.reason, verdict.advice) if verdict.advice else (verdict.reason,)
            problem = verdict.problem or "\n".join(dict.fromkeys(said))
            return (yield from self._ask(position, attempt, problem))
        view = (yield from e.record()).plan
        error = verdict.reason[:_REASON_CHARACTERS]
        failed = Fail(self._task, view.actor, error, retries=_NO_LIMIT)
        return (yield from self._try_again(attempt, verdict, failed))

    def _try_again(
        self, attempt: str, verdict: Verdict, *before: Command
    ) -> e.Loop[TaskEnd | None]:
        """Return the task and start it again; a run that cannot do that must not try for ever."""
        refusal = yield from self._record(attempt, verdict, *before)
        if refusal is not None:
            return self._end_refused(refusal.code, refusal.error)
        if not self._may_go_on():
            return self._end("returned", verdict.reason)
        return (yield from self._start())

    # People

    def _answer(self, position: TaskPosition, question: Question) -> e.Loop[TaskEnd | None]:
        """Ask a question that is open, or do what its answer says."""
        if question.kind == "replan":
            return self._end("replan", question.text)
        if question.answer is not None and question.kind == "confirm":
            return (yield from self._follow_confirmation(position, question))
        if question.answer is not None:
            return (yield from self._obey(position, question))
        return self._unless_answered((yield from ask_again(question)), question.text)

    def _ask(self, position: TaskPosition, attempt: str, problem: str) -> e.Loop[TaskEnd | None]:
        """Ask a person what to do with the task; what they want is read from the plan."""
        answer = yield from ask_what_to_do(position.task, attempt, problem, self._language)
        return self._unless_answered(answer, problem)

    def _ask_after_denial(
        self, position: TaskPosition, attempt: str, reason: str = ""
    ) -> e.Loop[TaskEnd | None]:
        """Ask about a task whose agent was not permitted something; tell how to permit it."""
        said = (self._denied, reason, text("agent_permit", self._language))
        return (yield from self._ask(position, attempt, "\n".join(filter(None, said))))

    def _unless_answered(self, answer: str | None, problem: str) -> TaskEnd | None:
        return self._end("unanswered", problem) if answer is None else None

    def _follow_confirmation(
        self, position: TaskPosition, question: Question
    ) -> e.Loop[TaskEnd | None]:
        """Complete a task that a person finds done; what they find wrong is tried again."""
        words, by = (question.answer or "").strip(), question.by or PERSON
        if position.report is not None and parse_yes_or_no(words):
            checks = [check for check in position.task.checks if check.kind == "person"]
            return (yield from self._confirm(position, position.report, checks, by))
        view = (yield from e.record()).plan
        failed = Fail(self._task, view.actor, words[:_REASON_CHARACTERS], retries=_NO_LIMIT)
        verdict = Verdict("retry", text("person_has_denied", self._language), words, by)
        return (yield from self._try_again(question.about, verdict, failed))

    def _obey(self, position: TaskPosition, question: Question) -> e.Loop[TaskEnd | None]:
        """Do what a person wants done with the task (R1.06)."""
        answer, attempt = parse_choice(question.answer or ""), question.about
        reason = text(_CHOSEN[answer.choice], self._language)
        by, view = question.by or PERSON, (yield from e.record()).plan
        error = position.task.error or reason
        if answer.choice == "done":
            report = NoteReport(attempt, PERSON, "SUCCESS", results=answer.words or reason)
            noted = (yield from e.record(report)).outcome
            return self._end_refused(noted.code, noted.error) if noted.error else None
        if answer.choice == "abort":
            verdict = Verdict("abort", answer.words or reason, by=by)
            refusal = yield from self._record(attempt, verdict, Abort())
            return self._end_after(refusal, "aborted", verdict.reason)
        if answer.choice == "skip":
            verdict = Verdict("skip", answer.words or reason, by=by)
            failed = Fail(self._task, view.actor, error, retry=False)  # not in an aborted plan
            skip = Skip(self._task, verdict.reason)
            refusal = yield from self._record(attempt, verdict, failed, skip)
            return self._end_after(refusal, "skipped", verdict.reason)
        again: tuple[Command, ...] = (
            Fail(self._task, view.actor, error, retry=False),
            Reopen(self._task),
        )
        verdict = Verdict("retry", reason, answer.words, by)
        if answer.choice == "edit" and answer.words:
            again = (*again, EditTask(self._task, description=answer.words))
            verdict = replace(verdict, advice=text("task_edited", self._language))
        return (yield from self._try_again(attempt, verdict, *again))

    # Record and end

    def _read_position(self) -> e.Loop[TaskPosition]:
        shares_session = self._options.share_session
        return (yield from e.ReadPosition(self._task, shares_session=shares_session)).outcome

    def _record(
        self, attempt: str, verdict: Verdict, *commands: Command
    ) -> e.Loop[Recorded | None]:
        """Record a decision with what follows from it; return the refusal, if there is one."""
        reason, advice = verdict.reason[:_REASON_CHARACTERS], verdict.advice[:_ADVICE_CHARACTERS]
        note = NoteDecision(attempt, verdict.decision, reason, verdict.by, advice)
        reply = yield from e.record(note, *commands, reason=reason)
        return reply.outcome if reply.outcome.error else None

    def _end(self, outcome: TaskOutcome, reason: str = "", why: StopReason = "waiting") -> TaskEnd:
        return TaskEnd(self._task, outcome, reason, why)

    def _end_elsewhere(self) -> TaskEnd:
        return self._end("returned", text("task_ended_elsewhere", self._language))

    def _end_after(self, refusal: Recorded | None, outcome: TaskOutcome, reason: str) -> TaskEnd:
        if refusal is not None:
            return self._end_refused(refusal.code, refusal.error)
        return self._end(outcome, reason)

    def _end_refused(self, code: str, error: str) -> TaskEnd:
        """Return the end after the plan refused something: it may be paused, or ended."""
        if code == OutOfBudget.code:
            return self._end("stopped", error, "budget")
        if code == ModelFailed.code:
            problem = text("loop_model_failed", self._language, problem=error)
            return self._end("stopped", problem, "model_failed")
        return self._end("returned", "" if code == PlanNotActive.code else error)
