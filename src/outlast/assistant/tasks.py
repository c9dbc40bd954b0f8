"""The tasks of the assistant that are not over, and what `/plan` shows of them.

Each is a plan of its own, with a key of its own (R3.17).
"""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from outlast.agent.effects import Clarification
from outlast.agent.loops.replan_loop.progress import show_question
from outlast.agent.runtime.probes import replan_state
from outlast.context.escape import one_line
from outlast.errors import OutlastError, PlanNotFound, StoreError
from outlast.language import STATUS_ICONS, Language, text, visible, with_details
from outlast.model.commands import CreatePlan
from outlast.model.model import ASSISTANT, PLAN, Question
from outlast.model.replan_position import Observation
from outlast.plan.core import holder_state
from outlast.plan.home.archive_directory import refuse_leased
from outlast.plan.home.find import damage_error, is_url, plan_home_at
from outlast.plan.plans import Plans
from outlast.redact.truncate import text_of
from outlast.system.clock import new_plan_id, now
from outlast.system.disk import describe_error
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.state import PlanState
    from outlast.plan.home.find import PlanHome

TaskState = Literal["waiting", "paused", "interrupted", "working"]
_GOAL_CHARACTERS: Final = 200
_STATES: Final = {
    "waiting": "task_waiting",
    "paused": "status_paused",
    "interrupted": "status_interrupted",
    "working": "task_working",
}
_PRIVATE: Final = 0o700
_ARCHIVED_WITHIN: Final = timedelta(seconds=5)
_BEGUN_WITHIN: Final = timedelta(seconds=30)


class PendingPlanTask(Struct, frozen=True):
    """A task that is not over, at one moment (R3.17). `key` is that of its plan.

    `plan_items` are the items of the present list; the one at `current_plan_index` is worked on,
    those before it are finished. `state` is `waiting` for an answer, `paused` at a limit or by the
    user, `interrupted` by the end of its process, or `working`: a process has its lease.
    `finished_items` are those of all lists. `question_shown` is what waits for an answer, as people
    read it: a question of the model, which `awaiting_clarification` is about, or a change of the
    plan to review.
    """

    key: str
    goal: str
    state: TaskState
    updated_at: datetime
    plan_initialized: bool = False
    plan_items: list[str] = []
    current_plan_index: int = 0
    awaiting_clarification: bool = False
    needs_replan: bool = False
    last_thought_snapshot: str | None = None
    observations: list[Observation] = []
    step_count: int = 0
    step_limit: int = 0
    successful_steps: int = 0
    failed_steps: int = 0
    clarification_history: list[Clarification] = []
    last_ask_user_question: str | None = None
    finished_items: list[str] = []
    question_shown: str = ""

    @property
    def is_free(self) -> bool:
        """Whether no process works on it."""
        return self.state != "working"


def describe_task(
    key: str, state: PlanState, now: datetime, language: Language = "en"
) -> PendingPlanTask | None:
    """Return the task of a plan as it is now; None if it is over."""
    if state.has_ended:
        return None
    replan = replan_state(state)
    position, question = replan.position, replan.question
    asked = [each.question for each in replan.clarifications]
    clarification = question if question is not None and question.kind == "ask" else None
    if clarification is not None:
        asked.append(clarification.text)
    return PendingPlanTask(
        key=key,
        goal=state.goal,
        state=_state_of(state, question, now),
        updated_at=state.updated_at,
        plan_initialized=position.is_planned,
        plan_items=[item.name for item in replan.items],
        current_plan_index=position.cursor,
        awaiting_clarification=clarification is not None,
        needs_replan=position.needs_replan,
        last_thought_snapshot=position.snapshot or None,
        observations=[*replan.observations],
        step_count=position.steps,
        step_limit=position.limit,
        successful_steps=position.successes,
        failed_steps=position.failures,
        clarification_history=[*replan.clarifications],
        last_ask_user_question=asked[-1] if asked else None,
        finished_items=[*replan.finished],
        question_shown=show_question(question, language) if question else "",
    )


def _state_of(state: PlanState, question: Question | None, now: datetime) -> TaskState:
    if state.ledger.live_lease(PLAN, now, holder_state) is not None:
        return "working"
    if question is not None:
        return "waiting"
    return "paused" if state.status == "paused" else "interrupted"


def task_page(task: PendingPlanTask, language: Language) -> str:
    """Show a task: its goal, its items, its counts, and what it waits for."""
    lines = [text("task_goal", language, goal=goal_line(task.goal))]
    lines += [_item("completed", name) for name in task.finished_items]
    for number, name in enumerate(task.plan_items):
        if number >= task.current_plan_index:
            is_current = number == task.current_plan_index
            lines.append(_item("in_progress" if is_current else "pending", name))
    lines.append(
        text(
            "task_steps",
            language,
            steps=task.step_count,
            limit=task.step_limit,
            succeeded=task.successful_steps,
            failed=task.failed_steps,
        )
    )
    state = describe_state(task, language)
    if task.state in ("paused", "interrupted"):
        state = text("task_continues", language, state=state)
    lines.append(state[:1].upper() + state[1:])
    lines += map(visible, _question_lines(task)[1:])
    return "\n".join(lines)


def task_lines(tasks: Sequence[PendingPlanTask], language: Language) -> str:
    """List other tasks that are not over; empty if there are none."""
    if not tasks:
        return ""
    entries = (
        with_details(goal_line(task.goal), describe_state(task, language), language)
        for task in tasks
    )
    lines = (f"- {entry}" for entry in entries)
    return "\n".join((text("tasks_unfinished", language), *lines))


def describe_state(task: PendingPlanTask, language: Language) -> str:
    """Say what a task waits for."""
    question = goal_line("".join(_question_lines(task)[:1]))
    return text(_STATES[task.state], language, question=question)


def _question_lines(task: PendingPlanTask) -> list[str]:
    """Return the lines of the question that waits; a plan to review has several."""
    if task.state != "waiting":
        return []
    asked = task.last_ask_user_question if task.awaiting_clarification else task.question_shown
    return (asked or "").splitlines()


def _item(status: str, name: str) -> str:
    return f"{STATUS_ICONS[status]} {goal_line(name)}"


def goal_line(words: str) -> str:
    """Return a goal, a question or an item in one line that is safe for a terminal."""
    return one_line(" ".join(words.split()), _GOAL_CHARACTERS)


class MissedAnswer(Struct, frozen=True):
    """A final answer that was not shown before its process died."""

    goal: str
    answer: str


class TaskPlans:
    """The plans of the tasks that are not over; a task that is over goes to the archive.

    Safe for several processes at once.
    """

    def __init__(self, where: str, language: Language) -> None:
        """Use a directory, which is created with the first task, or the database of a URL."""
        self.where, self._language = where, language

    def list_unfinished(self) -> list[PendingPlanTask]:
        """Return the tasks that are not over, those changed last first.

        One that cannot be read is left out.
        """
        tasks = [task for task in map(self._try_read, self._keys()) if task is not None]
        return sorted(tasks, key=lambda task: task.updated_at, reverse=True)

    def find_unreadable(self) -> list[str]:
        """Return the keys of the tasks that cannot be read."""
        unreadable = []
        for key in self._keys():
            try:
                self._read(key)
            except OutlastError:
                unreadable.append(key)
        return unreadable

    def create(self, goal: str) -> str:
        """Create the plan of a new task; return its key, which no other task has."""
        home = self._make_home()
        command = CreatePlan(new_plan_id(), text_of(goal), order="sequential", begun=True)
        with Plans(home).create(command, language=self._language) as plan:
            return plan.key

    def is_begun(self, key: str) -> bool:
        """Return whether a run has worked on a task."""
        with closing(self._home().open_without_adopting(key, now())) as store:
            return store.read(lambda state: state.last_run is not None)

    def is_planned(self, key: str) -> bool:
        """Return whether a task has had its first plan."""
        task = self._try_read(key)
        return task is not None and task.plan_initialized

    def drop(self, key: str) -> None:
        """Archive a task as it is; one that is not over can be restored and goes on then (U4).

        Raises `TaskClaimed` while a process works on it.
        """
        home = self._home()
        Plans(home).open(key).close()  # which syncs what people edited
        home.archive(key, now(), refuse_leased)

    def take_missed(self) -> list[MissedAnswer]:
        """Archive the tasks whose process died after the end and before it could tell the answer.

        Returns their answers; each is returned once, to one process.
        """
        missed = []
        for key in self._keys():
            try:
                with closing(self._home().open_without_adopting(key, now())) as store:
                    answer = store.read(_missed_answer)
                if answer is not None:
                    self.drop(key)
                    missed.append(answer)
            except OutlastError as error:  # such as one that another process has just archived
                LOG.info("the task %s was not archived: %s", key, error)
        return missed

    def _try_read(self, key: str) -> PendingPlanTask | None:
        try:
            return self._read(key)
        except OutlastError as error:
            LOG.info("the task %s cannot be read: %s", key, error)
            return None

    def _read(self, key: str) -> PendingPlanTask | None:
        try:
            with closing(self._home().open_without_adopting(key, now())) as store:
                problem = damage_error(store.notices)
                if problem is not None:
                    raise problem
                return store.read(partial(self._describe, key))
        except PlanNotFound:  # archived meanwhile
            return None

    def _describe(self, key: str, state: PlanState) -> PendingPlanTask | None:
        return describe_task(key, state, now(), self._language) if _is_task(state) else None

    def _keys(self) -> list[str]:
        is_there = is_url(self.where) or Path(self.where).is_dir()
        return self._home().plan_keys() if is_there else []

    def _home(self) -> PlanHome:
        return plan_home_at(self.where)

    def _make_home(self) -> PlanHome:
        if not is_url(self.where):
            try:
                Path(self.where).mkdir(_PRIVATE, parents=True, exist_ok=True)
            except OSError as error:
                problem = describe_error(error)
                raise StoreError(
                    "assistant_directory_failed", where=self.where, problem=problem
                ) from error
        return self._home()


def _is_task(state: PlanState) -> bool:
    """Return whether a plan is a task of the assistant: others may have plans there too.

    One without a run is about to be worked on, or its process died right after creating it.
    """
    if state.last_run is not None:
        return state.last_run.loop == ASSISTANT
    is_fresh = state.order == "sequential" and state.status == "running" and not state.tasks
    return is_fresh and now() - state.created_at > _BEGUN_WITHIN


def _missed_answer(state: PlanState) -> MissedAnswer | None:
    """Return the answer of a task that is over, but was not archived by the process that ended it.

    That process may be about to do so if it has just released the task.
    """
    moment, lease = now(), state.ledger.leases.get(PLAN)
    is_left = moment - state.updated_at > _ARCHIVED_WITHIN
    if lease is not None:
        is_left = not lease.is_live(moment, holder_state)
    if not (_is_task(state) and state.has_ended and is_left):
        return None
    return MissedAnswer(state.goal, state.notes.answer)
