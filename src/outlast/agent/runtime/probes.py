"""What loops read: the plan in words for a model, what people changed, where the work stands.

An orchestrator reads which tasks are ready and where each one stands.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent import effects as o
from outlast.agent.context.conversation import restore_exchange
from outlast.agent.context.patch import describe_patch
from outlast.agent.runtime.delegation import make_order
from outlast.agent.runtime.guards import run_in_thread
from outlast.context.brief import render_brief
from outlast.context.escape import quote
from outlast.documents.change_words import CONSEQUENCES, TOLD_PHRASES, Phrase, Phrases, list_phrases
from outlast.documents.proposals import read_replan
from outlast.errors import Refused
from outlast.language import Language, text
from outlast.model.changes import Commit, fold
from outlast.model.decide.replan import align_position, make_patch
from outlast.model.layers import compute_layers
from outlast.model.markers import NamedTask, find_named_task
from outlast.model.model import PERSON, UNATTRIBUTED, Question, Task, TaskDecision
from outlast.model.plan_costs import tightest_budget
from outlast.model.state import PlanState
from outlast.plan.plan_view import plan_view
from outlast.system.clock import new_uuid
from outlast.system.threads import call_in_pool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.agent.runtime.lane import Lane
    from outlast.context.chat_model import Message
    from outlast.store.port import Store

_ASKED: Final = ("ask", "replan")  # kinds of questions that the replan loop asks
_LINES: Final = 10
_JOINT: Final = "\0"  # before a noun: Chinese puts a space before a number, but not before a noun
_GOAL: Final = "change_goal"
_UNTOLD: Final = frozenset(("change_paused", "log_plan_resumed"))  # no model works meanwhile


async def read_schedule(effect: e.ReadSchedule, lane: Lane) -> o.Schedule:
    """Read the tasks that could be worked on, those with the longest chain after them first."""
    actor = lane.core.actor
    return await lane.read(lambda state: _schedule(state, effect, actor))


def _schedule(state: PlanState, effect: e.ReadSchedule, actor: str) -> o.Schedule:
    lengths = compute_layers(state).lengths
    in_progress = list(state.tasks_in_progress())
    own = [id_ for id_ in in_progress if state.tasks[id_].actor == f"{actor}/{id_}"]
    begun = [id_ for id_ in own if id_ not in effect.running]
    ready = [id_ for id_ in state.ready_tasks() if id_ not in effect.running]
    ready.sort(key=lambda id_: -lengths[id_])  # stable: list order among equals
    return o.Schedule(
        tuple(o.ReadyTask(id_, state.tasks[id_].files, is_begun=True) for id_ in begun)
        + tuple(o.ReadyTask(id_, state.tasks[id_].files) for id_ in ready[: effect.limit]),
        tuple(id_ for id_ in in_progress if id_ not in own),
        tuple(sorted({each.task for each in state.open_questions() if each.task})),
    )


async def read_position(effect: e.ReadPosition, lane: Lane) -> o.TaskPosition:
    """Read where the work on a task stands, with the report that has just come."""
    await lane.flush()
    run, how = lane.run, lane.run.delegation
    approved = await _approved_commands(effect.task, lane)
    agent = "" if run.resources.agent is None else run.resources.agent.name

    def read(state: PlanState) -> o.TaskPosition:
        task, ledger = state.task(effect.task), state.ledger
        report, decision = ledger.report_since_start(task), _last_decision(state, task)
        session = ledger.last_session(agent, task=task.id)
        if effect.shares_session:
            session = ledger.last_session(agent)
        id_, advice = f"task-{new_uuid()}", _advice(decision)
        order = replace(
            make_order(state, task, id_, run.language, session=session, advice=advice),
            permissions=how.permissions,
            timeout=how.timeout,
            may_run=run.spec.yes or task.run in approved,
            approved=approved,
            money=tightest_budget(state, task.id).money,
        )
        if report is None or (decision is not None and decision.attempt != report.attempt):
            decision = None
        is_open = task.status in ("pending", "in_progress")
        question = find_pending_question(state, task)
        return o.TaskPosition(task, order, report, decision, is_open, question)

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


async def read_replan_state(_effect: e.ReadReplan, lane: Lane) -> o.ReplanState:
    """Read where the replan loop stands."""
    await lane.flush()
    return await lane.read(replan_state)


def replan_state(state: PlanState) -> o.ReplanState:
    """Return where the replan loop stands; what people changed in the plan is taken over."""
    ledger, conversation = state.ledger, state.ledger.conversation
    position = align_position(state, ledger.replan)
    done = position.items[: position.cursor]
    tasks = state.tasks_in_order()
    finished = (task for task in tasks if task.status == "completed" or task.id in done)
    questions = [each for each in conversation.questions.values() if each.kind in _ASKED]
    return o.ReplanState(
        state.goal,
        position,
        tuple(state.tasks[item] for item in position.items),
        tuple(task.name for task in finished),
        ledger.observations,
        tuple(
            o.Clarification(each.text, each.answer)
            for each in questions
            if each.kind == "ask" and each.answer is not None
        ),
        conversation.messages,
        next((each for each in questions if each.answer is None), None),
        next((each for each in reversed(questions) if each.kind == "replan"), None),
        state.next_id,
    )


async def read_outline(_effect: e.ReadOutline, lane: Lane) -> o.Outline:
    """Read all tasks."""
    return o.Outline(await lane.read(lambda state: tuple(state.tasks_in_order())))


async def preview_replan(effect: e.PreviewReplan, lane: Lane) -> o.PatchPreview:
    """Find out what a new list of tasks would change, or why it cannot be one."""
    language = lane.run.language

    def preview(state: PlanState) -> str:
        patch = make_patch(state, effect.tasks, also=effect.task, only=effect.only)
        return describe_patch(patch, language)

    try:
        return o.PatchPreview(await lane.read(preview))
    except Refused as error:
        return o.PatchPreview(error=lane.run.error_text(error))


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


async def read_unapproved(_effect: e.ReadUnapproved, lane: Lane) -> o.UnapprovedChecks:
    """Read which commands of unfinished tasks nobody has approved; `--yes` of a person approves."""
    prover, tasks = lane.core.prover(), await lane.read(_unfinished_tasks)
    if prover is None or not tasks:
        return o.UnapprovedChecks()
    checks = await call_in_pool(partial(prover.list_unapproved, tasks))
    run = lane.run
    if checks and run.spec.yes and run.resources.speaker == PERSON:
        await run_in_thread(lane.core, partial(prover.approve_shown, tasks, checks))
        lane.mark_stale()
        return o.UnapprovedChecks()
    return o.UnapprovedChecks(checks)


def _unfinished_tasks(state: PlanState) -> list[Task]:
    return [task for task in state.tasks_in_order() if task.commands and not task.finished]


async def find_tasks(effect: e.FindTasks, lane: Lane) -> o.FoundTasks:
    """Find the tasks that texts name."""

    def find(state: PlanState) -> tuple[NamedTask, ...]:
        return tuple(find_named_task(text, state.tasks.values()) for text in effect.texts)

    return o.FoundTasks(await lane.read(find))


async def read_exchange(_effect: e.ReadExchange, lane: Lane) -> o.Exchange:
    """Read what the model said last, and what came of it."""
    return o.Exchange(await call_in_pool(partial(_last_exchange, lane)))


def _last_exchange(lane: Lane) -> tuple[Message, ...]:
    """Read the last exchange from the transcript; nothing without one."""
    run = lane.run
    transcript = run.resources.transcript_of(run.plan)
    return restore_exchange(transcript.tail(), run.language) if transcript else ()


async def read_brief(effect: e.ReadBrief, lane: Lane) -> o.BriefText:
    """Render the brief, which takes its time; the loop shows unread messages itself."""
    await lane.flush()
    settings, language = lane.run.spec.settings, lane.run.language

    def render(state: PlanState) -> str:
        return render_brief(
            state,
            plan_view(state, lane.core.actor),
            language,
            limit=effect.limit,
            tokens=settings.loop.brief_tokens,
            settled=effect.settled,
            unread=False,
            without=effect.without,
        )

    return o.BriefText(await call_in_pool(partial(lane.core.read, render)))


async def read_edits(effect: e.ReadEdits, lane: Lane) -> o.PlanEdits:
    """Read what people changed, and sync what they changed in files."""
    lane.may_be_edited = False
    await lane.run.sync_views()
    store, language = lane.core.store, lane.run.language
    read = partial(describe_edits, store, effect.since, language, with_goal=effect.with_goal)
    edits = await call_in_pool(read)
    if edits.revision > lane.view.revision:
        lane.mark_stale()
    return edits


def describe_edits(
    store: Store, since: int, language: Language = "en", *, with_goal: bool = True
) -> o.PlanEdits:
    """Return what people changed after a revision, in lines for the model."""
    commits = store.commits_since(since)
    revision = commits[-1].revision if commits else since
    untold = _UNTOLD if with_goal else _UNTOLD | {_GOAL}
    lines, saves = list[str](), list[str]()
    for commit, phrases in _find_edits(store, commits, untold):
        lines += [_edit_line(each, commit, language) for each in phrases if each[0] not in untold]
        if commit.key.startswith(f"{commit.reason}:"):  # a save of a file
            saves.append(text("edit_applied", language, name=commit.reason, changes=phrases))
    more = max(len(lines) - _LINES, 0)
    return o.PlanEdits(revision, tuple(lines[:_LINES]), more, tuple(saves))


def _find_edits(
    store: Store, commits: list[Commit], untold: frozenset[str]
) -> Iterator[tuple[Commit, Phrases]]:
    edits = {commit.revision for commit in commits if _is_edit(commit, untold)}
    if not edits:
        return
    first = min(edits)
    state = store.state_before(first)
    for commit in commits:
        if commit.revision in edits:
            yield commit, list_phrases(state, commit)
        if commit.revision >= first:
            fold(state, commit.changes, commit.revision, commit.at)


def _is_edit(commit: Commit, untold: frozenset[str]) -> bool:
    """Return whether a person, or an unknown author, changed what a model should know."""
    if commit.author not in (PERSON, UNATTRIBUTED):
        return False
    phrases = list_phrases(PlanState(commit.at), commit)
    return any(key not in untold for key, _ in phrases)


def _edit_line(phrase: Phrase, commit: Commit, language: Language) -> str:
    key, details = phrase
    named: dict[str, Any] = {**details, "needs": _tasks(details.get("needs"), language)}
    if "task" in details:
        named["task"] = _task(details["task"], language)
    change = text(TOLD_PHRASES.get(key, key), language, **named)
    if commit.author == UNATTRIBUTED:
        line = text("told_file", language, name=commit.reason, change=change)
    else:
        line = text("told_plan" if key in CONSEQUENCES else "told_user", language, change=change)
    joined = line.replace(f" {_JOINT}", "" if language == "zh" else " ").replace(_JOINT, "")
    return quote(joined, len(joined))


def _tasks(ids: object, language: Language) -> list[str]:
    return [_task(task, language) for task in ids] if isinstance(ids, list) else []


def _task(task: object, language: Language) -> str:
    return _JOINT + text("undo_task", language, what=task)
