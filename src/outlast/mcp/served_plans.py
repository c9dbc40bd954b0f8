"""The plans that a server works on: which one is meant, kept open, created by the first call."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Final

from outlast.errors import (
    HistoryDiverged,
    InvalidArgument,
    OutlastError,
    PlanClosed,
    PlanExists,
    PlanNotFound,
)
from outlast.hosts.sessions import host_of, is_for_one_session, served_record
from outlast.model.commands import CreatePlan
from outlast.model.intents import is_same_goal
from outlast.model.limits import check_actor
from outlast.model.model import PERSON
from outlast.plan.current_plan import make_current, resolve_key
from outlast.plan.home.find import find_workspace, project_root, workspace_at
from outlast.plan.plans import create_memory_plan, create_project_plan, open_with_key
from outlast.system.caller import OWN_AGENT, find_host
from outlast.system.clock import new_plan_id
from outlast.system.process_identity import host_process
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from outlast.language import Language
    from outlast.plan.home.workspace import Workspace
    from outlast.plan.plan import Plan
    from outlast.plan.plan_list import ListedPlan

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
    """The plans of one workspace, for one actor: the named one, else the one that started us.

    Threads may use it at the same time. `process` identifies the agent that started the server.

    Hold `lock` to create a plan only if there is none.
    """

    def __init__(
        self,
        start: str | None,
        key: str | None,
        named_actor: str | None,
        language: Language = "en",
        process: str | None = None,
    ) -> None:
        """Serve the workspace that a directory belongs to; nothing is opened or created yet."""
        self._start = current_directory() if start is None else workspace_at(start).root
        self._named, self._actor, self._language = key, server_actor(named_actor), language
        self.host = host_of(self._actor)
        self._process = host_process() if process is None else process
        self._is_for_one_session = is_for_one_session(named_actor, self._process)
        self._bound: str | None = None
        self._has_changed_bound = False
        self._open: dict[str, Plan] = {}
        self.lock = RLock()

    def find(self, key: str | None = None, *, goal: str = "") -> Plan | None:
        """Return the plan with a key, else the one that the server is about; None without one.

        That is the first that there is of these: the plan that was named at the start, the one that
        the session of the coding agent is attached to, the one that this server works on, the
        current plan of the workspace. For a server of one session the current plan is meant only if
        its goal is given.

        A call with another goal is about neither of the last two (U1), unless this server has
        changed the plan and it has not ended; nor about the second if that has ended. Raises
        `PlanNotFound` if there is no plan with the key.
        """
        with self.lock:
            home = find_workspace(self._start)
            chosen = self._choose_key(home, goal) if key is None else key
            if chosen is not None:
                if key is None:
                    self._bound = None
                return self._reopen(home, chosen)
            if home is None or self._bound is None or not home.has_plan(self._bound):
                self._unbind()
            if home is None:
                return None
            return self._find_bound(home, goal) or self._find_current(home, goal)

    def _choose_key(self, home: Workspace | None, goal: str = "") -> str | None:
        """Return the key of the plan that a person has chosen for this server or session.

        One that has ended is left for another goal, and for the plan that had that goal.
        """
        if self._named is not None:
            return self._named if home is None else resolve_key(home, self._named)
        attached = None if home is None else served_record(home.root, self.host, self._process)
        if attached is None or home is None or not home.has_plan(attached.key):
            return None
        if goal or self._bound is not None:
            plan = self._reopen(home, attached.key)
            has_ended = plan.core.read(lambda state: state.has_ended)
            if has_ended and not (goal and _has_goal(plan, goal)):
                return None
        return attached.key

    def _find_bound(self, home: Workspace, goal: str) -> Plan | None:
        """Return the plan that this server works on, unless a call has another goal."""
        if self._bound is None:
            return None
        plan = self._reopen(home, self._bound)
        is_free = not self._has_changed_bound or plan.core.read(lambda state: state.has_ended)
        return None if goal and is_free and not _has_goal(plan, goal) else plan

    def _find_current(self, home: Workspace, goal: str) -> Plan | None:
        """Return the current plan, or the unfinished one changed last; None without one."""
        is_free = not self._is_for_one_session
        if not (is_free or goal):
            return None
        plan = self._open_current(home)
        if plan is None or (goal and not _has_goal(plan, goal, or_none=is_free)):
            return None
        return plan

    def _open_current(self, home: Workspace) -> Plan | None:
        key = home.current_key()
        if key in self._open and home.has_plan(key):
            plan = self._reopen(home, key)
            if not plan.core.read(lambda state: state.has_ended):
                return plan
        try:
            key, plan = open_with_key(home, self._start, None, actor=self._actor, ended=False)
        except PlanNotFound:
            return None
        if key in self._open:
            plan.close()
            return self._reopen(home, key)
        return self._open.setdefault(key, plan)

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

    def bind(self, plan: Plan, *, is_changed: bool = False) -> None:
        """Stay with a plan that a call is about, unless a person has chosen it."""
        with self.lock:
            key = next((key for key, known in self._open.items() if known is plan), None)
            if key != self._choose_key(find_workspace(self._start)):
                was_changed = self._has_changed_bound and key == self._bound
                self._bound, self._has_changed_bound = key, is_changed or was_changed

    def _unbind(self) -> None:
        if self._bound is not None:
            self._forget(self._bound)
            self._bound = None

    def unattached_plans(self) -> list[ListedPlan]:
        """Return the unfinished plans here, if the agent's session is attached to none of them."""
        with self.lock:
            home = find_workspace(self._start)
            if not self._is_for_one_session or self._bound or self._choose_key(home) is not None:
                return []
            from outlast.hosts.announce import unfinished_plans

            return unfinished_plans(self._start)

    def scratch(self, goal: str, *, begun: bool) -> Plan:
        """Return an empty plan in memory, which answers as long as there is no other."""
        return create_memory_plan(CreatePlan(new_plan_id(), goal, begun=begun), self._actor)

    def create(self, goal: str, name: str, *, begun: bool) -> Plan:
        """Create the plan that the server is about from now on; its key is made from a name."""
        with self.lock:
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
            self._bound, self._has_changed_bound = plan.key, True
            self._open[plan.key] = plan
            make_current(home, plan.key, is_new=True)
            return plan

    def keys(self) -> list[str]:
        """Return the keys of all plans of the workspace."""
        home = find_workspace(self._start)
        return [] if home is None else home.plan_keys()

    def _forget(self, key: str) -> None:
        plan = self._open.pop(key, None)
        if plan is not None:
            plan.close()

    def close(self) -> None:
        """Close all plans."""
        with self.lock:
            for key in list(self._open):
                try:
                    self._forget(key)
                except OutlastError:  # the changes are saved; the next one to open it reports this
                    continue


def _has_goal(plan: Plan, goal: str, *, or_none: bool = False) -> bool:
    """Return whether a goal is that of a plan, or its title; with `or_none`, or if it has none."""
    named = [name for name in (plan.goal, plan.title) if name]
    return any(is_same_goal(name, goal) for name in named) or (or_none and not named)
