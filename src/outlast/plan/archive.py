"""The archive: plans that have ended, kept to be listed, read and restored."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import (
    InvalidArgument,
    InvalidStatus,
    OutlastError,
    PlanNotFound,
    TaskClaimed,
    Unconfirmed,
)
from outlast.model.commands import Pause, Resume
from outlast.model.execute import return_commit
from outlast.model.limits import check_actor, check_flag, check_name, check_number
from outlast.model.model import LONGEST_LEASE, PERSON, PLAN, PauseReason
from outlast.plan.checker import LazyChecker
from outlast.plan.core import PlanCore, holder_state
from outlast.plan.home.archive_directory import refuse_leased, refuse_unfinished
from outlast.plan.home.find import find_home, plan_home_at, require_home
from outlast.plan.past_revision import ReadOnlyStore
from outlast.plan.plan import Plan
from outlast.plan.plan_list import ListedPlan, summarize
from outlast.plan.plans import Plans
from outlast.system.caller import host_agent, refuse_person_inside_agent
from outlast.system.clock import Clock, new_plan_id, now, sleep

if TYPE_CHECKING:
    from outlast.model.state import PlanState
    from outlast.plan.home.archive_directory import ArchivedPlan, Refuse
    from outlast.plan.home.find import PlanHome

MOST_DAYS: Final = 100_000
_POLL_SECONDS: Final = 0.1


def drop_plan(  # noqa: PLR0913 - one keyword for each choice
    where: str | os.PathLike[str],
    key: str,
    *,
    actor: str = "agent",
    person: str = "",
    stop: bool = False,
    wait_seconds: int = 60,
) -> str:
    """Archive a plan of a workspace, or of the database of a URL, as it is: finished or not.

    Returns its name in the archive. A plan that a run is working on, or of which a task is claimed,
    is refused with `TaskClaimed`. A person may `stop` the run: the plan is paused, and archived as
    soon as the run has ended; if it has not after `wait_seconds`, the plan stays, paused. An agent
    may drop a plan only if nobody else has changed it. `person` is the name of the person who acts.
    """
    check_number(wait_seconds, "wait_seconds", 0, LONGEST_LEASE)
    if check_flag(stop, "stop") and actor != PERSON:
        raise InvalidArgument("only_a_person", argument="stop", person=PERSON)
    home = require_home(where)
    with Plans(home, check_actor(actor)).open(key) as plan:
        refuse_foreign_plan(plan, "drop")
        if stop:
            deadline = now() + timedelta(seconds=wait_seconds)
            _stop_run(plan.acting_as(actor, person=person), deadline)
    return home.archive(key, now(), _refuse_not_stopped if stop else refuse_leased).name


def refuse_foreign_plan(plan: Plan, action: str) -> None:
    """Raise `Unconfirmed` if an agent wants to give up a plan that others have changed too.

    Inside an agent's environment that agent counts, not the one that `actor` names.
    """
    if plan.actor == PERSON:
        refuse_person_inside_agent("actor")
        return
    agent = host_agent() or plan.actor
    others = {commit.author for commit in plan.core.store.history()} - {agent}
    if others:
        raise Unconfirmed("plan_not_own", action=action, actor=agent, others=sorted(others))


def _stop_run(plan: Plan, deadline: datetime) -> None:
    """Pause a plan that a run is working on, and wait until the run has stopped.

    After the deadline the plan is paused like any other: the run must not report that it was
    dropped.
    """
    if not plan.core.read(_is_at_work):
        return
    _pause(plan, "dropped")
    while plan.core.read(_is_at_work):
        if now() >= deadline:
            if plan.core.read(lambda state: state.ledger.counters.pause_reason) == "dropped":
                _pause(plan, "")
            return
        sleep(_POLL_SECONDS)


def _pause(plan: Plan, why: PauseReason) -> None:
    """Pause a plan for a reason, also one that is paused already; leave one that has ended."""
    resume = (Resume(),) if plan.status == "paused" else ()
    with suppress(InvalidStatus):
        plan.core.commit((*resume, Pause(why)), return_commit)


def _is_at_work(state: PlanState) -> bool:
    return state.ledger.live_lease(PLAN, now(), holder_state) is not None


def _refuse_not_stopped(state: PlanState, moment: datetime) -> None:
    """Raise `TaskClaimed` if the run that should stop has not yet."""
    lease = state.ledger.live_lease(PLAN, moment, holder_state)
    if lease is not None:
        raise TaskClaimed(
            "run_not_stopped",
            task_id=PLAN,
            holder=lease.holder,
            until=lease.until.isoformat(timespec="seconds"),
            status=state.status,
        )


def wait_until_dropped(where: str | os.PathLike[str], key: str, wait_seconds: float) -> str:
    """Wait until the plan of a run that was stopped is archived; return its name in the archive.

    Returns an empty name if the plan stays: nobody drops it any more.
    """
    home, deadline = require_home(where), now() + timedelta(seconds=wait_seconds)
    while home.has_plan(key):
        if now() >= deadline:
            return ""
        sleep(_POLL_SECONDS)
    names = [plan.name for plan in home.archived_plans() if plan.key == key]
    return names[-1] if names else ""


def archive_plan(where: str | os.PathLike[str], key: str) -> str:
    """Archive a completed or aborted plan of a workspace, or of the database of a URL.

    Returns its name in the archive.
    """
    return _archive(require_home(where), check_name(key, "key"), now(), refuse_unfinished).name


def list_archived(where: str | os.PathLike[str]) -> list[ListedPlan]:
    """Return the archived plans of a workspace, or of the database of a URL."""
    home = find_home(where)
    return [_summarize(home, plan) for plan in home.archived_plans()] if home else []


def open_archived(where: str | os.PathLike[str], name: str, *, actor: str = "agent") -> Plan:
    """Open an archived plan, which cannot be changed until it is restored.

    `name` is its name in the archive, or a beginning of it or its key where that is unique.
    """
    check_actor(actor)
    home = require_home(where)
    return _open(home, _find(home, check_name(name, "name")), actor)


def restore_plan(where: str | os.PathLike[str], name: str) -> str:
    """Bring an archived plan back under its key, in its layout; return the key.

    A plan that has the key now is archived if it has ended; otherwise `InvalidStatus` is raised.
    """
    return restore_and_archive(where, name)[0]


def restore_and_archive(where: str | os.PathLike[str], name: str) -> tuple[str, str]:
    """Restore a plan like `restore_plan`; return its key and the name of the one archived for it.

    That name is empty if no plan had the key.
    """
    home = require_home(where)
    plan = _find(home, check_name(name, "name"))

    def refuse(state: PlanState, moment: datetime) -> None:
        if not _has_stopped(state):
            raise InvalidStatus("restore_key_in_use", key=plan.key, status=state.status)
        refuse_leased(state, moment)

    is_taken = plan.key in home.plan_keys()
    replaced = _archive(home, plan.key, now(), refuse).name if is_taken else ""
    home.restore(plan)
    return plan.key, replaced


def archive_ended_plan(home: PlanHome, key: str) -> None:
    """Archive a completed, aborted or failed plan, so that a new one can have its key."""
    _archive(home, key, now(), _refuse_unless_stopped)


def _refuse_unless_stopped(state: PlanState, moment: datetime) -> None:
    if not _has_stopped(state):
        raise InvalidStatus("plan_not_ended", plan=state.id, status=state.status)
    refuse_leased(state, moment)


def _has_stopped(state: PlanState) -> bool:
    """Return whether a plan is completed, aborted or failed; a failed one could be retried."""
    return state.status in ("completed", "failed")


def archive_old_plans(
    where: str | os.PathLike[str], older_than_days: int = 7, *, clock: Clock = now
) -> list[str]:
    """Archive the plans that were completed so many days ago; return their keys.

    A plan stays if it is not completed, is leased, cannot be read, or was changed at a time that
    lies in the future.
    """
    check_number(older_than_days, "older_than_days", 0, MOST_DAYS)
    home, limit = plan_home_at(where), timedelta(days=older_than_days)

    def refuse(state: PlanState, moment: datetime) -> None:
        refuse_unfinished(state, moment)
        if state.status != "completed" or moment - state.updated_at < limit:
            raise InvalidStatus("plan_not_ended", plan=state.id, status=state.status)

    return [key for key in home.plan_keys() if _try_archive(home, key, clock(), refuse)]


def _try_archive(home: PlanHome, key: str, moment: datetime, refuse: Refuse) -> bool:
    """Archive a plan unless `refuse` raises; return whether it was archived."""
    try:
        store = home.open_without_adopting(key, moment)
        try:
            if store.home is None:  # its files belong to another program
                return False
            store.read(lambda state: refuse(state, moment))
        finally:
            store.close()
        _archive(home, key, moment, refuse)
    except OutlastError:
        return False
    return True


def _archive(home: PlanHome, key: str, moment: datetime, refuse: Refuse) -> ArchivedPlan:
    """Sync people's edits, then move the plan."""
    Plans(home).open(key).close()
    return home.archive(key, moment, refuse)


def _find(home: PlanHome, name: str) -> ArchivedPlan:
    """Return the archived plan with a name, else the only one with that key or beginning."""
    plans = home.archived_plans()
    same_name = [plan for plan in plans if plan.name == name]
    same_key = [plan for plan in plans if plan.key == name]
    begins = [plan for plan in plans if any(t.startswith(name) for t in (plan.name, plan.key))]
    matches = same_name or same_key or begins
    if len(matches) == 1:
        return matches[0]
    text = "which_archived" if matches else "not_archived"
    names = [plan.name for plan in matches or plans]
    raise PlanNotFound(text, name=name, count=len(matches), candidates=names)


def _open(home: PlanHome, plan: ArchivedPlan, actor: str = "agent") -> Plan:
    store = ReadOnlyStore(home.open_archived(plan, now()), "plan_archived", name=plan.name)
    checker = LazyChecker(home.root)
    return Plan(PlanCore(store, now, new_plan_id, actor, checker=checker))


def _summarize(home: PlanHome, plan: ArchivedPlan) -> ListedPlan:
    try:
        with _open(home, plan) as opened:
            return replace(opened.core.read(summarize), name=plan.name, path=plan.path)
    except OutlastError as error:
        return ListedPlan(plan.key, name=plan.name, path=plan.path, problem=error)
