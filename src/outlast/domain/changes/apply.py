"""Apply: how each change modifies the plan's state. Nothing else modifies it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.domain import changes as c
from outlast.domain.budget import NO_LIMIT, NOTHING
from outlast.domain.ledger import TaskProofs
from outlast.domain.model import Attempt, Confirmation, Lease

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from outlast.domain.model import Phase, Question, Task
    from outlast.domain.state import PlanState

_ANSWERS_KEPT: Final = 5
_STRIKES_KEPT: Final = 100  # of each tool


def fold(state: PlanState, changes: Iterable[c.Change], revision: int, at: datetime) -> None:
    """Apply the changes of one commit."""
    state.revision = revision
    state.updated_at = at
    for change in changes:
        APPLY[type(change)](state, change, at)


def work_state(task: Task) -> c.TaskRestored:
    """Return everything that work on a task can change."""
    return c.TaskRestored(*(getattr(task, field) for field in c.TaskRestored.__struct_fields__))


def is_pristine(task: Task) -> bool:
    """Return whether a task was never worked on."""
    return work_state(task) == c.TaskRestored(task.id)


def _apply_plan_created(state: PlanState, change: c.PlanCreated, at: datetime) -> None:
    revision, ledger = state.revision, state.ledger
    state.clear(at)
    state.revision, state.ledger = revision, ledger.carry_over()
    state.id, state.key = change.id, change.key
    state.goal, state.title, state.order = change.goal, change.title, change.order
    state.begun, state.hold = change.begun, change.hold
    state.created_at, state.updated_at = change.created_at, change.updated_at
    state.iteration_count, state.next_id = change.iteration_count, change.next_id
    state.extra = change.extra
    state.set_phases({phase.id: phase for phase in change.phases})


def _apply_plan_edited(state: PlanState, change: c.PlanEdited, _at: datetime) -> None:
    if change.goal is not None:
        state.goal = change.goal
    if change.title is not None:
        state.title = change.title
    if change.order is not None:
        state.order = change.order


def _apply_phase_added(state: PlanState, change: c.PhaseAdded, _at: datetime) -> None:
    phases = list(state.phases.values())
    phases.insert(change.place, change.phase)
    _set_phases(state, phases)


def _apply_phase_edited(state: PlanState, change: c.PhaseEdited, _at: datetime) -> None:
    state.phases[change.phase.id] = change.phase


def _apply_phase_moved(state: PlanState, change: c.PhaseMoved, _at: datetime) -> None:
    phases = [phase for phase in state.phases.values() if phase.id != change.id]
    phases.insert(change.place, state.phases[change.id])
    _set_phases(state, phases)


def _apply_phase_removed(state: PlanState, change: c.PhaseRemoved, _at: datetime) -> None:
    state.ledger.phase_marks.pop(change.id, None)
    _set_phases(state, [phase for phase in state.phases.values() if phase.id != change.id])


def _set_phases(state: PlanState, phases: list[Phase]) -> None:
    state.set_phases({phase.id: phase for phase in phases})


def _apply_task_added(state: PlanState, change: c.TaskAdded, _at: datetime) -> None:
    state.insert_task(change.task, change.after)


def _apply_task_removed(state: PlanState, change: c.TaskRemoved, _at: datetime) -> None:
    state.remove_task(state.tasks[change.id])


def _apply_task_edited(state: PlanState, change: c.TaskEdited, _at: datetime) -> None:
    old = state.tasks[change.id]
    given = {
        field: value
        for field in change.__struct_fields__[1:]
        if (value := getattr(change, field)) is not None
    }
    state.tasks[change.id] = new = replace(old, **given)
    state.index_checks(new)
    if change.needs is not None:
        state.replace_needs(change.id, old.needs, change.needs)
    state.ledger.phase_marks.pop(old.phase, None)


def _apply_task_moved(state: PlanState, change: c.TaskMoved, _at: datetime) -> None:
    state.move_task(replace(state.tasks[change.id], phase=change.phase), change.after)


def _apply_task_started(state: PlanState, change: c.TaskStarted, at: datetime) -> None:
    old = state.tasks[change.id]
    state.replace_task(old, replace(old, status="in_progress", actor=change.actor, started_at=at))


def _apply_task_completed(state: PlanState, change: c.TaskCompleted, at: datetime) -> None:
    old = state.tasks[change.id]
    new = replace(
        old, status="completed", result=change.result, error=None, how=change.how, ended_at=at
    )
    state.replace_task(old, new)


def _apply_task_retried(state: PlanState, change: c.TaskRetried, _at: datetime) -> None:
    old = state.tasks[change.id]
    new = replace(
        old,
        status="pending",
        error=change.error,
        retry_count=change.retry_count,
        actor="",
        started_at=None,
    )
    state.replace_task(old, new)
    state.ledger.drop_confirmations(change.id)


def _apply_task_failed(state: PlanState, change: c.TaskFailed, at: datetime) -> None:
    old = state.tasks[change.id]
    state.replace_task(old, replace(old, status="failed", error=change.error, ended_at=at))


def _apply_task_skipped(state: PlanState, change: c.TaskSkipped, at: datetime) -> None:
    old = state.tasks[change.id]
    state.replace_task(
        old, replace(old, status="skipped", result=change.reason or None, ended_at=at)
    )


def _apply_task_reopened(state: PlanState, change: c.TaskReopened, _at: datetime) -> None:
    old = state.tasks[change.id]
    new = replace(
        old,
        status="pending",
        result=None,
        retry_count=0,
        how="",
        actor="",
        started_at=None,
        ended_at=None,
    )
    state.replace_task(old, new)
    state.ledger.drop_confirmations(change.id)


def _apply_task_progressed(state: PlanState, change: c.TaskProgressed, _at: datetime) -> None:
    state.tasks[change.id] = replace(state.tasks[change.id], progress=change.progress)


def _apply_task_restored(state: PlanState, change: c.TaskRestored, _at: datetime) -> None:
    old = state.tasks[change.id]
    fields = {field: getattr(change, field) for field in change.__struct_fields__}
    state.replace_task(old, replace(old, **fields))


def _apply_task_returned(state: PlanState, change: c.TaskReturned, _at: datetime) -> None:
    old = state.tasks[change.id]
    state.replace_task(old, replace(old, status="pending", actor="", started_at=None))
    state.ledger.drop_confirmations(change.id)


def _apply_task_leased(state: PlanState, change: c.TaskLeased, _at: datetime) -> None:
    lease = Lease(change.id, change.holder, change.token, change.until)
    state.ledger.leases[change.id] = lease
    state.ledger.last_token = change.token


def _apply_lease_renewed(state: PlanState, change: c.LeaseRenewed, _at: datetime) -> None:
    leases = state.ledger.leases
    leases[change.id] = replace(leases[change.id], until=change.until)


def _apply_lease_ended(state: PlanState, change: c.LeaseEnded, _at: datetime) -> None:
    del state.ledger.leases[change.id]


def _apply_attempt_began(state: PlanState, change: c.AttemptBegan, at: datetime) -> None:
    state.ledger.attempts[change.id] = Attempt(
        change.id,
        change.task,
        change.kind,
        change.what,
        change.digest,
        at,
        change.token,
        change.reserve,
    )
    state.ledger.attempts_begun += 1


def _apply_attempt_ended(state: PlanState, change: c.AttemptEnded, _at: datetime) -> None:
    attempt = state.ledger.attempts.pop(change.id)
    task = state.tasks.get(attempt.task)
    if change.outcome == "done" and task is not None and task.status == "in_progress":
        state.ledger.remember_done(attempt, change.settled_by)
    if change.spent != NOTHING:
        state.ledger.charge(attempt.task, change.spent, change.planning)


def _apply_undone(_state: PlanState, _change: c.Undone, _at: datetime) -> None:
    """Do nothing: the changes that follow in the commit do the work."""


def _apply_ids_skipped(state: PlanState, change: c.IdsSkipped, _at: datetime) -> None:
    ledger = state.ledger
    ledger.attempts_begun = max(ledger.attempts_begun, change.attempts)
    ledger.last_token = max(ledger.last_token, change.token)
    notes = state.notes
    notes.last_finding = max(notes.last_finding, change.findings)
    notes.last_error = max(notes.last_error, change.errors)


def _apply_plan_begun(state: PlanState, _change: c.PlanBegun, _at: datetime) -> None:
    state.begun = True


def _apply_plan_paused(state: PlanState, change: c.PlanPaused, _at: datetime) -> None:
    state.hold = "paused"
    state.ledger.set_pause_reason(change.why)


def _apply_plan_resumed(state: PlanState, _change: c.PlanResumed, _at: datetime) -> None:
    state.hold = ""
    state.ledger.set_pause_reason("")


def _apply_plan_aborted(state: PlanState, _change: c.PlanAborted, _at: datetime) -> None:
    state.hold = "aborted"
    state.ledger.set_pause_reason("")


def _apply_plan_reset(state: PlanState, _change: c.PlanReset, at: datetime) -> None:
    for task_id in state.graph.order:
        _apply_task_restored(state, c.TaskRestored(task_id), at)
        state.ledger.drop_confirmations(task_id)
    state.begun, state.hold = False, ""
    state.ledger.set_pause_reason("")


def _apply_plan_restored(state: PlanState, change: c.PlanRestored, _at: datetime) -> None:
    if change.hold != state.hold:
        state.ledger.set_pause_reason("")
    state.begun, state.hold = change.begun, change.hold


def _apply_iteration_counted(state: PlanState, change: c.IterationCounted, _at: datetime) -> None:
    state.iteration_count = change.total
    if change.task:
        count_task_iteration(state, change.task)


def count_task_iteration(state: PlanState, task: int) -> None:
    """Count an iteration of a task, if it is in progress."""
    current = state.tasks.get(task)
    if current is not None and current.status == "in_progress":
        counters = state.ledger.counters
        counts = {**counters.iterations, task: counters.iterations.get(task, 0) + 1}
        state.ledger.update_counters(iterations=counts)


def _apply_budget_set(state: PlanState, change: c.BudgetSet, _at: datetime) -> None:
    budgets = {**state.ledger.counters.budgets, change.task: change.budget}
    if change.budget == NO_LIMIT:
        del budgets[change.task]
    state.ledger.update_counters(budgets=budgets)


def _apply_charged(state: PlanState, change: c.Charged, _at: datetime) -> None:
    state.ledger.charge(change.task, change.spend, change.planning)


def _apply_question_asked(state: PlanState, change: c.QuestionAsked, _at: datetime) -> None:
    conversation, question = state.ledger.conversation, change.question
    questions = {**conversation.questions, question.id: question}
    state.ledger.update_conversation(
        questions=questions, last_question=max(conversation.last_question, question.id)
    )


def _apply_question_answered(state: PlanState, change: c.QuestionAnswered, _at: datetime) -> None:
    questions = state.ledger.conversation.questions
    answered = replace(questions[change.id], answer=change.answer)
    state.ledger.update_conversation(
        questions=_drop_old_answers({**questions, change.id: answered})
    )


def _drop_old_answers(questions: dict[int, Question]) -> dict[int, Question]:
    """Return the open questions and the last few answered ones."""
    answered = [number for number, question in questions.items() if question.answer is not None]
    old = set(answered[:-_ANSWERS_KEPT])
    return {number: questions[number] for number in questions if number not in old}


def _apply_interjected(state: PlanState, change: c.Interjected, _at: datetime) -> None:
    conversation, interjection = state.ledger.conversation, change.interjection
    state.ledger.update_conversation(
        interjections=(*conversation.interjections, interjection),
        last_interjection=max(conversation.last_interjection, interjection.id),
    )


def _apply_interjections_taken(
    state: PlanState, change: c.InterjectionsTaken, _at: datetime
) -> None:
    interjections = state.ledger.conversation.interjections
    state.ledger.update_conversation(
        interjections=tuple(unread for unread in interjections if unread.id > change.last)
    )


def _apply_loop_noted(state: PlanState, change: c.LoopNoted, _at: datetime) -> None:
    given = {"managed": change.managed, "stops": change.stops}
    state.ledger.update_counters(
        **{name: value for name, value in given.items() if value is not None}
    )


def _apply_struck_out(state: PlanState, change: c.StruckOut, _at: datetime) -> None:
    strikes = state.ledger.strikes
    others = (params for params in strikes.get(change.tool, ()) if params != change.params)
    state.ledger.strikes = {**strikes, change.tool: (*others, change.params)[-_STRIKES_KEPT:]}


def _apply_strikes_cleared(state: PlanState, change: c.StrikesCleared, _at: datetime) -> None:
    strikes = state.ledger.strikes
    others = () if change.tool is None else (tool for tool in strikes if tool != change.tool)
    state.ledger.strikes = {tool: strikes[tool] for tool in others}


def _apply_loop_restored(state: PlanState, change: c.LoopRestored, _at: datetime) -> None:
    ledger, restored, before = state.ledger, change.conversation, state.ledger.conversation
    ledger.counters, ledger.conversation, ledger.strikes = (
        change.counters,
        change.conversation,
        change.strikes,
    )
    ledger.detach_spent()
    busy, counts = {*state.tasks_in_progress()}, change.counters.iterations
    ledger.update_counters(iterations={task: counts[task] for task in counts if task in busy})
    ledger.update_conversation(
        last_question=max(restored.last_question, before.last_question),
        last_interjection=max(restored.last_interjection, before.last_interjection),
    )


def _apply_proof_noted(state: PlanState, change: c.ProofNoted, _at: datetime) -> None:
    proof, proofs = change.proof, state.ledger.proofs
    old = proofs.get(proof.task, TaskProofs())
    if proof.stage in ("set", "before"):
        proofs[proof.task] = replace(old, baseline=proof)
    else:
        proofs[proof.task] = replace(old, latest=proof)


def _apply_check_confirmed(state: PlanState, change: c.CheckConfirmed, at: datetime) -> None:
    proofs = state.ledger.proofs
    old = proofs.get(change.id, TaskProofs())
    others = (given for given in old.confirmed if given.check != change.check)
    given = Confirmation(change.check, change.by, at)
    proofs[change.id] = replace(old, confirmed=(*others, given))


def _apply_phase_marked(state: PlanState, change: c.PhaseMarked, _at: datetime) -> None:
    if change.status is None:
        state.ledger.phase_marks.pop(change.id, None)
    else:
        state.ledger.phase_marks[change.id] = change.status


def _apply_finding_noted(state: PlanState, change: c.FindingNoted, _at: datetime) -> None:
    notes, finding = state.notes, change.finding
    notes.findings[finding.id] = finding
    notes.last_finding = max(notes.last_finding, finding.id)


def _apply_finding_forgotten(state: PlanState, change: c.FindingForgotten, _at: datetime) -> None:
    del state.notes.findings[change.id]


def _apply_error_noted(state: PlanState, change: c.ErrorNoted, _at: datetime) -> None:
    notes = state.notes
    notes.errors[change.key] = change.error
    notes.last_error = max(notes.last_error, change.error.id)


def _apply_errors_forgotten(state: PlanState, change: c.ErrorsForgotten, _at: datetime) -> None:
    for key in change.keys:
        state.notes.errors.pop(key, None)


def _apply_delivered(state: PlanState, change: c.Delivered, _at: datetime) -> None:
    state.notes.deliverable = change.text


def _apply_prose_kept(state: PlanState, change: c.ProseKept, _at: datetime) -> None:
    state.notes.prose = change.prose


APPLY: Final[dict[type[c.Change], Callable[[PlanState, Any, datetime], None]]] = {
    c.PlanCreated: _apply_plan_created,
    c.PlanEdited: _apply_plan_edited,
    c.PhaseAdded: _apply_phase_added,
    c.PhaseEdited: _apply_phase_edited,
    c.PhaseMoved: _apply_phase_moved,
    c.PhaseRemoved: _apply_phase_removed,
    c.TaskAdded: _apply_task_added,
    c.TaskRemoved: _apply_task_removed,
    c.TaskEdited: _apply_task_edited,
    c.TaskMoved: _apply_task_moved,
    c.TaskStarted: _apply_task_started,
    c.TaskCompleted: _apply_task_completed,
    c.TaskRetried: _apply_task_retried,
    c.TaskFailed: _apply_task_failed,
    c.TaskSkipped: _apply_task_skipped,
    c.TaskReopened: _apply_task_reopened,
    c.TaskProgressed: _apply_task_progressed,
    c.TaskRestored: _apply_task_restored,
    c.PlanBegun: _apply_plan_begun,
    c.PlanPaused: _apply_plan_paused,
    c.PlanResumed: _apply_plan_resumed,
    c.PlanAborted: _apply_plan_aborted,
    c.PlanReset: _apply_plan_reset,
    c.PlanRestored: _apply_plan_restored,
    c.TaskReturned: _apply_task_returned,
    c.TaskLeased: _apply_task_leased,
    c.LeaseRenewed: _apply_lease_renewed,
    c.LeaseEnded: _apply_lease_ended,
    c.AttemptBegan: _apply_attempt_began,
    c.AttemptEnded: _apply_attempt_ended,
    c.IdsSkipped: _apply_ids_skipped,
    c.Undone: _apply_undone,
    c.IterationCounted: _apply_iteration_counted,
    c.BudgetSet: _apply_budget_set,
    c.Charged: _apply_charged,
    c.QuestionAsked: _apply_question_asked,
    c.QuestionAnswered: _apply_question_answered,
    c.Interjected: _apply_interjected,
    c.InterjectionsTaken: _apply_interjections_taken,
    c.LoopNoted: _apply_loop_noted,
    c.StruckOut: _apply_struck_out,
    c.StrikesCleared: _apply_strikes_cleared,
    c.LoopRestored: _apply_loop_restored,
    c.ProofNoted: _apply_proof_noted,
    c.CheckConfirmed: _apply_check_confirmed,
    c.PhaseMarked: _apply_phase_marked,
    c.FindingNoted: _apply_finding_noted,
    c.FindingForgotten: _apply_finding_forgotten,
    c.ErrorNoted: _apply_error_noted,
    c.ErrorsForgotten: _apply_errors_forgotten,
    c.Delivered: _apply_delivered,
    c.ProseKept: _apply_prose_kept,
}
