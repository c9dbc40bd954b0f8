"""List the plans of a workspace, and repair one of them."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from outlast.errors import DamagedJournal, InvalidArgument, OutlastError, PlanNotFound
from outlast.model.budget import NOTHING, Spend
from outlast.model.limits import check_name
from outlast.model.model import PLAN, Question, Task
from outlast.model.plan_choice import NEVER, Place, PlanEntry, PlanQuery, choose_plan
from outlast.model.plan_costs import spent_amount
from outlast.plan.core import holder_state
from outlast.plan.home.find import damage_error, find_home, is_url, require_home, require_workspace
from outlast.store.port import Notice
from outlast.system.clock import new_plan_id, now

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.state import PlanState
    from outlast.plan.home.find import PlanHome


class ListedPlan(Struct, frozen=True):
    """A plan in a list: progress, who works on it, cost, and what waits for an answer.

    `current` is the task in progress, of several the one started last; `next` the next ready task
    if none is. `condition` is the status, or `aborted`, `interrupted` or `needs_approval`. `worker`
    holds the live lease of a run. `is_current` marks the plan that commands are about if none is
    named. `problem` keeps the plan from being read; repairs are `notices`. An
    archived plan has a `name` in the archive, and in a workspace the `path` of its directory.
    """

    key: str
    title: str = ""
    status: str = ""
    done: int = 0
    total: int = 0
    updated_at: datetime | None = None
    problem: OutlastError | None = None
    notices: tuple[Notice, ...] = ()
    name: str = ""
    path: str = ""
    goal: str = ""
    current: Task | None = None
    next: Task | None = None
    worker: str = ""
    spent: Spend = NOTHING
    questions: tuple[Question, ...] = ()
    is_current: bool = False
    condition: str = ""

    @property
    def is_aborted(self) -> bool:
        """Whether it was aborted; its status is `failed` then."""
        return self.condition == "aborted"

    @property
    def has_ended(self) -> bool:
        """Whether it is over; a plan stopped by failed tasks can still go on."""
        return self.status == "completed" or self.is_aborted


def list_plans(start: str | os.PathLike[str], *, thorough: bool = False) -> list[ListedPlan]:
    """Return the plans of a workspace, or of the database of a URL.

    `thorough` reads the whole of each plan and so finds damage that a snapshot hides.
    """
    home = find_home(start)
    if home is None:
        return []
    plans = [_summarize_stored(home, key, thorough=thorough) for key in home.plan_keys()]
    current = choose_listed(PlanQuery(), plans, home.current_key())
    return [replace(plan, is_current=True) if plan.key == current else plan for plan in plans]


def choose_listed(query: PlanQuery, plans: Iterable[ListedPlan], current: str = "") -> str:
    """Return the key of the plan of a list that is meant; empty if it is none of them.

    Without the key of the `current` plan, the list tells it.
    """
    entries = {}
    for plan in plans:
        entries[plan.key] = PlanEntry(plan.key, not plan.has_ended, last_change(plan), plan.goal)
        current = current or (plan.key if plan.is_current else "")
    try:
        return choose_plan(query, Place(entries, lambda: current if current in entries else ""))
    except PlanNotFound:
        return ""


def last_change(plan: ListedPlan) -> datetime:
    """Return when a plan was changed last, for sorting; a plan that cannot be read never was."""
    return plan.updated_at or NEVER


def find_damaged_keys(start: str | os.PathLike[str]) -> list[str]:
    """Return the keys of the damaged plans; of a damaged database, all keys that can be read."""
    try:
        return [plan.key for plan in list_plans(start, thorough=True) if _is_damaged(plan)]
    except DamagedJournal as error:
        keys = require_home(start).find_readable_keys()
        if not keys:
            raise DamagedJournal("database_unreadable", path=error.details["path"]) from error
        return keys


def _is_damaged(plan: ListedPlan) -> bool:
    return plan.problem is not None or any(text == "journal_behind" for text, _ in plan.notices)


def repair_plan(start: str | os.PathLike[str], key: str) -> list[Notice]:
    """Repair a damaged plan of a workspace, or of the database of a URL.

    The damaged files are kept beside it.
    """
    return require_home(start).repair(check_name(key, "key"), now())


def renew_identity(start: str | os.PathLike[str], key: str) -> Notice:
    """Give a plan of a workspace its own key and, unless it was only renamed, an id of its own.

    Approvals, permissions and proofs do not count for another id.
    """
    if is_url(start):
        raise InvalidArgument("identity_in_database", argument="new_identity", value=key)
    workspace = require_workspace(os.fspath(start))
    is_renewed = workspace.renew_identity(check_name(key, "key"), now(), new_plan_id())
    return "identity_renewed" if is_renewed else "key_renewed", {"key": key}


def _summarize_stored(home: PlanHome, key: str, *, thorough: bool) -> ListedPlan:
    try:
        store = home.open_without_adopting(key, now())
        try:
            summary = _attach_notices(replace(store.read(summarize), key=key), store.notices)
        finally:
            store.close()
        if thorough:
            del store  # and its copy of the plan: the check reads the whole history again
            home.check_integrity(key, now())
    except OutlastError as error:
        return ListedPlan(key, problem=error)
    return summary


def _attach_notices(plan: ListedPlan, notices: list[Notice]) -> ListedPlan:
    """Attach the notices of a store; damage becomes the problem of the plan."""
    problem = damage_error(notices)
    if problem is None:
        return replace(plan, notices=tuple(notices))
    others = tuple(notice for notice in notices if notice[0] != problem.text)
    return replace(plan, notices=others, problem=problem)


def summarize(state: PlanState) -> ListedPlan:
    """Summarize a plan."""
    lease = state.ledger.live_lease(PLAN, now(), holder_state)
    working = [task for task in state.tasks.values() if task.status == "in_progress"]
    current = max(working, key=lambda task: task.started_at or NEVER, default=None)
    return ListedPlan(
        state.key,
        state.title,
        state.status,
        state.finished_count,
        len(state.tasks),
        state.updated_at,
        goal=state.goal,
        current=current,
        next=None if current else state.tasks.get(state.next_ready() or 0),
        worker=lease.holder if lease else "",
        spent=spent_amount(state),
        questions=tuple(state.open_questions()),
        condition=state.condition(now(), holder_state),
    )
