"""The tasks of the assistant: each is a plan of its own, with a key of its own (R3.17)."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.assistant.pending_task import describe_task
from outlast.errors import OutlastError, PlanNotFound, StoreError
from outlast.model.commands import CreatePlan
from outlast.model.model import ASSISTANT, PLAN
from outlast.plan.core import has_ended
from outlast.plan.home.archive import refuse_leased
from outlast.plan.home.find import damage_error, is_url, plan_home_at
from outlast.plan.plans import Plans
from outlast.redact.truncate import text_of
from outlast.system.clock import new_plan_id, now
from outlast.system.disk import describe_error
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from outlast.assistant.pending_task import PendingPlanTask
    from outlast.language import Language
    from outlast.model.state import PlanState
    from outlast.plan.home.find import PlanHome

_PRIVATE: Final = 0o700
_ARCHIVED_WITHIN: Final = timedelta(seconds=5)
_BEGUN_WITHIN: Final = timedelta(seconds=30)


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
        is_left = not lease.is_live(moment, has_ended)
    if not (_is_task(state) and state.has_ended and is_left):
        return None
    return MissedAnswer(state.goal, state.notes.answer)
