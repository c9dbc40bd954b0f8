"""What an orchestrator has to know of the plan: which tasks are ready, where each one stands."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from outlast.agent.context.patch import describe_patch
from outlast.agent.effects import (
    Clarification,
    Outline,
    PatchPreview,
    ReadyTask,
    ReplanState,
    Schedule,
    TaskPosition,
    UnapprovedChecks,
)
from outlast.agent.runtime.guards import run_in_thread
from outlast.agent.runtime.work_order import make_order
from outlast.errors import Refused
from outlast.model.costs import tightest_budget
from outlast.model.decide.replan import make_patch
from outlast.model.decide.replan_position import align_position
from outlast.model.layers import compute_layers
from outlast.model.model import PERSON
from outlast.model.proposals import read_replan
from outlast.system.clock import new_uuid
from outlast.system.threads import call_in_pool

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.runtime.lane import Lane
    from outlast.model.model import Question, Task, TaskDecision
    from outlast.model.state import PlanState

_ASKED: Final = ("ask", "replan")  # kinds of questions that the replan loop asks


async def read_schedule(effect: e.ReadSchedule, lane: Lane) -> Schedule:
    """Read the tasks that could be worked on, those with the longest chain after them first."""
    actor = lane.core.actor
    return await lane.read(lambda state: _schedule(state, effect, actor))


def _schedule(state: PlanState, effect: e.ReadSchedule, actor: str) -> Schedule:
    lengths = compute_layers(state).lengths
    in_progress = list(state.tasks_in_progress())
    own = [id_ for id_ in in_progress if state.tasks[id_].actor == f"{actor}/{id_}"]
    begun = [id_ for id_ in own if id_ not in effect.running]
    ready = [id_ for id_ in state.ready_tasks() if id_ not in effect.running]
    ready.sort(key=lambda id_: -lengths[id_])  # stable: list order among equals
    return Schedule(
        tuple(ReadyTask(id_, state.tasks[id_].files, is_begun=True) for id_ in begun)
        + tuple(ReadyTask(id_, state.tasks[id_].files) for id_ in ready[: effect.limit]),
        tuple(id_ for id_ in in_progress if id_ not in own),
        tuple(sorted({each.task for each in state.open_questions() if each.task})),
    )


async def read_position(effect: e.ReadPosition, lane: Lane) -> TaskPosition:
    """Read where the work on a task stands, with the report that has just come."""
    await lane.flush()
    run, how = lane.run, lane.run.delegation
    approved = await _approved_commands(effect.task, lane)
    agent = "" if run.resources.agent is None else run.resources.agent.name

    def read(state: PlanState) -> TaskPosition:
        task, ledger = state.task(effect.task), state.ledger
        report, decision = ledger.report_since_start(task), _last_decision(state, task)
        session = ledger.last_session(agent, task=task.id)
        if effect.shares_session:
            session = ledger.last_session(agent)
        order = make_order(
            state,
            task,
            f"task-{new_uuid()}",
            run.language,
            session=session,
            advice=_advice(decision),
            permissions=how.permissions,
            timeout=how.timeout,
            may_run=run.spec.yes or task.run in approved,
            approved=approved,
            money=tightest_budget(state, task.id).money,
        )
        if report is None or (decision is not None and decision.attempt != report.attempt):
            decision = None
        is_open = task.status in ("pending", "in_progress")
        return TaskPosition(
            task, order, report, decision, is_open, find_pending_question(state, task)
        )

    return await lane.read(read)


def _last_decision(state: PlanState, task: Task) -> TaskDecision | None:
    return next((each for each in reversed(state.ledger.decisions) if each.task == task.id), None)


def _advice(decision: TaskDecision | None) -> str:
    """Return what the next attempt should do differently."""
    if decision is None or decision.decision != "retry":
        return ""
    return decision.advice or decision.reason


def find_pending_question(state: PlanState, task: Task) -> Question | None:
    """Return the last question about a task in progress, if nothing has followed from it yet."""
    asked = [
        (question, attempt)
        for question in state.ledger.conversation.questions.values()
        if question.task == task.id and (attempt := _attempt_of(question))
    ]
    if not asked or task.status != "in_progress":
        return None
    question, attempt = asked[-1]
    report, answered = state.ledger.reports.get(task.id), question.answered_at
    has_followed = any(
        (decision.attempt, decision.by) == (attempt, question.by)
        for decision in state.ledger.decisions
    ) or (
        report is not None
        and answered is not None
        and (report.attempt == attempt and report.at > answered)
    )
    is_old = task.started_at is not None and question.at < task.started_at
    return None if has_followed or is_old else question


def _attempt_of(question: Question) -> str:
    """Return the attempt that an orchestrator asks about; others may ask about tasks too."""
    if question.kind == "replan":
        return read_replan(question.about).attempt
    return question.about if question.kind in ("ask", "confirm") else ""


async def read_replan_state(lane: Lane) -> ReplanState:
    """Read where the replan loop stands."""
    await lane.flush()
    return await lane.read(replan_state)


def replan_state(state: PlanState) -> ReplanState:
    """Return where the replan loop stands; what people changed in the plan is taken over."""
    ledger, conversation = state.ledger, state.ledger.conversation
    position = align_position(state, ledger.replan)
    done = position.items[: position.cursor]
    tasks = state.tasks_in_order()
    finished = (task for task in tasks if task.status == "completed" or task.id in done)
    questions = [each for each in conversation.questions.values() if each.kind in _ASKED]
    return ReplanState(
        state.goal,
        position,
        tuple(state.tasks[item] for item in position.items),
        tuple(task.name for task in finished),
        ledger.observations,
        tuple(
            Clarification(each.text, each.answer)
            for each in questions
            if each.kind == "ask" and each.answer is not None
        ),
        conversation.messages,
        next((each for each in questions if each.answer is None), None),
        next((each for each in reversed(questions) if each.kind == "replan"), None),
        state.next_id,
    )


async def read_outline(lane: Lane) -> Outline:
    """Read all tasks."""
    return Outline(await lane.read(lambda state: tuple(state.tasks_in_order())))


async def preview_replan(effect: e.PreviewReplan, lane: Lane) -> PatchPreview:
    """Find out what a new list of tasks would change, or why it cannot be one."""
    language = lane.run.language

    def preview(state: PlanState) -> str:
        patch = make_patch(state, effect.tasks, also=effect.task, only=effect.only)
        return describe_patch(patch, language)

    try:
        return PatchPreview(await lane.read(preview))
    except Refused as error:
        return PatchPreview(error=lane.run.error_text(error))


# Approval of commands


async def _approved_commands(ref: int, lane: Lane) -> tuple[str, ...]:
    """Return the commands and checks of a task that may run; they may be a stranger's."""
    task = await lane.read(lambda state: state.task(ref))
    commands = [check for check in task.commands if check.kind == "command"]
    prover = lane.core.prover()
    if prover is None or not commands:
        return ()
    is_all_approved = lane.run.spec.yes
    unapproved = await call_in_pool(partial(prover.list_unapproved, (task,)))
    return tuple(check.rule for check in commands if is_all_approved or check not in unapproved)


async def read_unapproved(lane: Lane) -> UnapprovedChecks:
    """Read which commands of unfinished tasks nobody has approved; `--yes` of a person approves."""
    prover, tasks = lane.core.prover(), await lane.read(_unfinished_tasks)
    if prover is None or not tasks:
        return UnapprovedChecks()
    checks = await call_in_pool(partial(prover.list_unapproved, tasks))
    run = lane.run
    if checks and run.spec.yes and run.resources.speaker == PERSON:
        await run_in_thread(lane.core, partial(prover.approve_shown, tasks, checks))
        lane.mark_stale()
        return UnapprovedChecks()
    return UnapprovedChecks(checks)


def _unfinished_tasks(state: PlanState) -> list[Task]:
    return [task for task in state.tasks_in_order() if task.commands and not task.finished]
