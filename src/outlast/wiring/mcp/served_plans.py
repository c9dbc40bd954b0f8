"""The plans that a server works on: which one is meant, kept open, created by the first call."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Final

from outlast.domain.commands import CreatePlan
from outlast.domain.intents import is_same_goal
from outlast.domain.limits import check_actor
from outlast.domain.model import PERSON
from outlast.errors import (
    HistoryDiverged,
    InvalidArgument,
    OutlastError,
    PlanClosed,
    PlanExists,
    PlanNotFound,
)
from outlast.system.clock import new_plan_id
from outlast.system.hosts import OWN_AGENT, find_host
from outlast.system.workspace_root import current_directory
from outlast.wiring.current_plan import make_current, resolve_key
from outlast.wiring.hosts.sessions import attached_record
from outlast.wiring.plans import create_memory_plan, create_project_plan, open_with_key
from outlast.wiring.workspaces import find_workspace, project_root, workspace_at

if TYPE_CHECKING:
    from outlast.adapters.stores.workspace import Workspace
    from outlast.application.plan.plan import Plan
    from outlast.texts import Language

_TRIES: Final = 3  # in which other processes may take the key of a new plan
_GONE: Final = (HistoryDiverged, PlanClosed, PlanNotFound)


def server_actor(named: str | None = None) -> str:
    """Return who acts: the named agent, else the one that started the server, else `agent`.

    A server never acts as a person: a model calls it.
    """
    actor = check_actor(named or find_host()[1] or OWN_AGENT)
    if actor == PERSON:
        raise InvalidArgument("server_of_person", argument="actor", person=PERSON)
    return actor


class ServedPlans:
    """The plans of one workspace, for one actor. Threads may use it at the same time."""

    def __init__(
        self, start: str | None, key: str | None, actor: str, language: Language = "en"
    ) -> None:
        """Serve the workspace that a directory belongs to; nothing is opened or created yet."""
        self._start = current_directory() if start is None else workspace_at(start).root
        self._named, self._actor, self._language = key, actor, language
        self._bound: str | None = None
        self._open: dict[str, Plan] = {}
        self._lock = RLock()

    def find(self, key: str | None = None, *, goal: str = "") -> Plan | None:
        """Return the plan with a key, else the one that the server is about; None without one.

        A call with another goal than the current plan of the workspace is not about that, unless
        the server has already worked on it (U1). Raises `PlanNotFound` if there is no plan with
        the key.
        """
        with self._lock:
            home = find_workspace(self._start)
            chosen = self._choose_key(home) if key is None else key
            if chosen is not None:
                return self._reopen(home, chosen)
            return None if home is None else self._open_current(home, goal)

    def _choose_key(self, home: Workspace | None) -> str | None:
        """Return the key of the plan that the server is about, if it is known by its key.

        The order: the one that was named at the start, the one that the session of the coding agent
        is attached to, the one that this server has worked on. Without any of them it is the
        current plan of the workspace.
        """
        if self._named is not None:
            return self._named if home is None else resolve_key(home, self._named)
        attached = None if home is None else attached_record(home.root)
        if attached is not None and home is not None and home.has_plan(attached.key):
            return attached.key
        if self._bound is not None and (home is None or not home.has_plan(self._bound)):
            self._forget(self._bound)
            self._bound = None
        return self._bound

    def _reopen(self, home: Workspace | None, key: str) -> Plan:
        """Return the plan with a key; open it again if another one has taken its place."""
        plan = self._open.get(key)
        try:
            if plan is not None:
                plan.core.read(lambda state: state.revision)
                return plan
        except _GONE:
            self._forget(key)
        if home is None:
            raise PlanNotFound("no_plan_yet", where=self._start, candidates=[])
        opened = open_with_key(home, self._start, key, actor=self._actor, ended=True)[1]
        return self._open.setdefault(key, opened)

    def _open_current(self, home: Workspace, goal: str) -> Plan | None:
        """Return the current plan, or the unfinished one changed last; None without one."""
        try:
            key, plan = open_with_key(home, self._start, None, actor=self._actor, ended=False)
        except PlanNotFound:
            return None
        if goal and plan.goal and not is_same_goal(plan.goal, goal):
            plan.close()
            return None
        self._bound = key
        known = self._open.setdefault(key, plan)
        if known is not plan:
            plan.close()
        return known

    def scratch(self, goal: str, *, begun: bool) -> Plan:
        """Return an empty plan in memory, which answers as long as there is no other."""
        return create_memory_plan(CreatePlan(new_plan_id(), goal, begun=begun), self._actor)

    def create(self, goal: str, name: str, *, begun: bool) -> Plan:
        """Create the plan that the server is about from now on; its key is made from a name."""
        with self._lock:
            home = workspace_at(project_root(self._start))
            for tries_left in reversed(range(_TRIES)):
                try:
                    plan = create_project_plan(
                        self._start,
                        CreatePlan(new_plan_id(), goal, begun=begun),
                        home.unused_key(name),
                        actor=self._actor,
                        language=self._language,
                    )
                except PlanExists:
                    if not tries_left:
                        raise
                else:
                    break
            self._bound = plan.key
            self._open[plan.key] = plan
            make_current(home, plan.key, is_new=True)
            return plan

    def keys(self) -> list[str]:
        """Return the keys of all plans of the workspace."""
        home = find_workspace(self._start)
        return [] if home is None else home.plan_keys()

    def stop_checks(self) -> None:
        """Stop the checks of a call that its client has cancelled."""
        for plan in list(self._open.values()):
            plan.core.stop_checks()

    def _forget(self, key: str) -> None:
        plan = self._open.pop(key, None)
        if plan is not None:
            plan.close()

    def close(self) -> None:
        """Close all plans."""
        with self._lock:
            for key in list(self._open):
                try:
                    self._forget(key)
                except OutlastError:  # the changes are saved; the next one to open it reports this
                    continue
