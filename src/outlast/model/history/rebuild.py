"""Commits that replace lost ones: rebuild a plan from a snapshot, and skip ids already given."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.model import changes as c
from outlast.model.changes import fold
from outlast.model.decide.tasks import ordered_add_changes
from outlast.model.ledger import NO_CONVERSATION, NO_COUNTS, THINK
from outlast.model.limits import make_slug
from outlast.model.model import Phase, Task

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from outlast.model.state import PlanState

AUTHOR: Final = "outlast"
_MARGIN: Final = 1_000_000  # more ids than a gap can hold, far fewer than there are


def make_commit(state: PlanState, changes: Sequence[c.Change], at: datetime) -> c.Commit:
    """Apply changes that Outlast makes itself, and return their commit."""
    fold(state, changes, state.revision + 1, at)
    return c.Commit(state.revision, at, AUTHOR, tuple(changes))


def commits_from_snapshot(state: PlanState, snapshot: PlanState) -> list[c.Commit]:
    """Turn a state into the plan of a snapshot; return the commits that do so.

    The revision continues from that of the state. Attempt numbers and lease tokens never go down.
    """
    at, ledger = snapshot.updated_at, snapshot.ledger
    last = max(state.ledger.last_token, ledger.last_token)
    tasks = ordered_add_changes(tuple(snapshot.tasks_in_order()), ())
    done = (*_done_attempts(snapshot), *_noted_words(snapshot))
    made = [make_commit(state, (_creation_of(snapshot), *tasks, *done), at)]
    for attempt in ledger.attempts.values():
        began = c.AttemptBegan(
            attempt.id,
            attempt.task,
            attempt.kind,
            attempt.what,
            attempt.digest,
            attempt.token,
            attempt.reserve,
        )
        made.append(make_commit(state, (began,), attempt.at))
    for task, known in ledger.proofs.items():
        for given in known.confirmed:
            confirmed = c.CheckConfirmed(task, given.check, given.by)
            made.append(make_commit(state, (confirmed,), given.at))
    counted = c.IterationCounted(snapshot.iteration_count)
    noted = (*_note_changes(snapshot), *_proof_changes(snapshot), *_loop_changes(snapshot))
    skipped = c.IdsSkipped(
        ledger.attempts_begun, last, snapshot.notes.last_finding, snapshot.notes.last_error
    )
    made.append(
        make_commit(state, (counted, *_lease_changes(state, snapshot), *noted, skipped), at)
    )
    return made


def _done_attempts(plan: PlanState) -> tuple[c.Change, ...]:
    return tuple(
        change
        for task, attempts in plan.ledger.done.items()
        for done in attempts
        for change in (
            c.AttemptBegan(done.id, task, done.kind, done.what),
            c.AttemptEnded(done.id, "done", done.settled_by),
        )
    )


def _noted_words(plan: PlanState) -> tuple[c.Change, ...]:
    return tuple(
        change
        for task, texts in plan.ledger.said.items()
        for number, text in enumerate(texts, 1)
        for change in (
            c.AttemptBegan(f"{task}#{number}", task, THINK, ""),
            c.AttemptEnded(f"{task}#{number}", "done", said=text),
        )
    )


def _lease_changes(state: PlanState, plan: PlanState) -> tuple[c.Change, ...]:
    leases = plan.ledger.leases
    ended = (c.LeaseEnded(task) for task in state.ledger.leases if task not in leases)
    leased = (
        c.TaskLeased(lease.task, lease.holder, lease.token, lease.until, lease.process)
        for lease in leases.values()
    )
    return (*ended, *leased)


def _proof_changes(plan: PlanState) -> tuple[c.Change, ...]:
    known = plan.ledger.proofs.values()
    proofs = (proof for pair in known for proof in (pair.baseline, pair.latest) if proof)
    marked = (c.PhaseMarked(phase, status) for phase, status in plan.ledger.phase_marks.items())
    return (*map(c.ProofNoted, proofs), *marked)


def _note_changes(plan: PlanState) -> tuple[c.Change, ...]:
    notes = plan.notes
    findings = map(c.FindingNoted, notes.findings.values())
    errors = (c.ErrorNoted(key, error) for key, error in notes.errors.items())
    delivered = (c.Delivered(notes.deliverable),) if notes.deliverable else ()
    answered = (c.Delivered(notes.answer, answer=True),) if notes.answer else ()
    prose = (c.ProseKept(notes.prose),) if notes.prose else ()
    return (*findings, *errors, *delivered, *answered, *prose)


def _loop_changes(plan: PlanState) -> tuple[c.Change, ...]:
    ledger = plan.ledger
    restored = c.LoopRestored(
        ledger.counters,
        ledger.conversation,
        ledger.strikes,
        ledger.reports,
        ledger.decisions,
        ledger.sessions,
        ledger.footprints,
        ledger.replan,
        ledger.observations,
    )
    is_empty = restored == c.LoopRestored(NO_COUNTS, NO_CONVERSATION)
    remembered = () if plan.last_run is None else (c.RunRemembered(plan.last_run),)
    approval = (c.ApprovalRequired(),) if plan.needs_approval else ()
    return (*(() if is_empty else (restored,)), *remembered, *approval)


def skip_ids(state: PlanState, at: datetime) -> c.Commit:
    """Return the commit after which no new lease or attempt gets the number of a lost one.

    The holder of a lost number may still show it. How many were lost is not known.
    """
    attempts, token = state.ledger.attempts_begun + _MARGIN, state.ledger.last_token + _MARGIN
    return make_commit(state, (c.IdsSkipped(attempts, token),), at)


def _creation_of(plan: PlanState) -> c.PlanCreated:
    return c.PlanCreated(
        id=plan.id,
        goal=plan.goal,
        created_at=plan.created_at,
        updated_at=plan.updated_at,
        key=plan.key,
        title=plan.title,
        order=plan.order,
        phases=tuple(plan.phases.values()),
        next_id=plan.next_id,
        begun=plan.begun,
        hold=plan.hold,
        iteration_count=plan.iteration_count,
        extra=plan.extra,
    )


def add_changes(
    state: PlanState, phases: Sequence[Phase], tasks: Sequence[Task], lost: Collection[int]
) -> Iterator[c.Change]:
    """Yield the changes that add the lost ones of these tasks, as pending, where they stood."""
    ids, shown = {phase.title: phase.id for phase in state.phases.values()}, dict[str, str]()
    used = {task.phase for task in tasks if task.id in lost}
    for phase in phases:
        if phase.id in used and phase.title not in ids:
            ids[phase.title] = make_slug(phase.title, ids.values())
            yield c.PhaseAdded(replace(phase, id=ids[phase.title]), len(ids) - 1)
        shown[phase.id] = ids.get(phase.title, phase.id)
    previous = 0
    for task in tasks:
        if task.id in lost:
            yield c.TaskAdded(_as_pending(task, shown[task.phase]), previous)
        previous = task.id
    linked = (task for task in tasks if task.id in lost and task.needs)
    yield from (c.TaskEdited(task.id, needs=task.needs) for task in linked)


def _as_pending(task: Task, phase: str) -> Task:
    return Task(
        task.id,
        task.name,
        phase,
        description=task.description,
        checks=task.checks,
        run=task.run,
        files=task.files,
        protect=task.protect,
    )


def outcome_changes(state: PlanState, tasks: Sequence[Task]) -> Iterator[c.Change]:
    """Yield the changes that give pending tasks the needs and the outcomes that were shown."""
    for task in tasks:
        if state.task(task.id).needs != task.needs:
            yield c.TaskEdited(task.id, needs=task.needs)
        if state.task(task.id).status != "pending":
            continue
        if task.status == "completed":
            yield c.TaskCompleted(task.id, task.result, task.how or "reported")
        elif task.status == "failed":
            yield c.TaskFailed(task.id, task.error or "")
        elif task.status == "skipped":
            yield c.TaskSkipped(task.id, task.result or "")


def number_by_name(state: PlanState, tasks: Sequence[Task]) -> list[Task]:
    """Return tasks of a view without numbers: a task of the same name lends its number.

    Any other is numbered as a new one.
    """
    same_name = defaultdict[str, list[int]](list)
    for task in state.tasks_in_order():
        same_name[task.name].append(task.id)
    new = count(state.next_id)
    numbers = {
        task.id: same_name[task.name].pop(0) if same_name[task.name] else next(new)
        for task in tasks
    }
    return [
        replace(task, id=numbers[task.id], needs=tuple(numbers[need] for need in task.needs))
        for task in tasks
    ]
