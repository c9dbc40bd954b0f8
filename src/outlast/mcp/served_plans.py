"""The plans that a server works on: which one is meant, kept open, created by the first call."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Final

from outlast.context.escape import quote
from outlast.errors import InvalidArgument, PlanNotFound
from outlast.hosts.sessions import host_of, is_for_one_session, served_record
from outlast.language import Language, listing, text, visible
from outlast.model.commands import CreatePlan
from outlast.model.limits import check_actor
from outlast.model.model import PERSON
from outlast.model.plan_choice import ServerQuery, choose_for_call, choose_for_session
from outlast.plan.home.find import find_workspace, workspace_at
from outlast.plan.memory_plans import create_memory_plan
from outlast.plan.plans import Plans
from outlast.system.caller import OWN_AGENT, find_host
from outlast.system.clock import new_plan_id
from outlast.system.process_identity import host_process
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from outlast.plan.plan import Plan
    from outlast.plan.plan_list import ListedPlan
_NAMED_PLANS: Final = 3


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
        self._plans: Plans | None = None
        self.lock = RLock()

    def find(self, key: str | None = None, *, goal: str = "") -> Plan | None:
        """Return the plan with a key, else the one that a call with this goal is about.

        That is the first that there is of these: the plan that was named at the start, the one that
        the session of the coding agent is attached to, the one that this server works on, the
        current plan of the workspace. Raises `PlanNotFound` if there is no plan with the key.
        """
        with self.lock:
            plans = self._find_plans()
            if plans is None:
                if key is not None or self._named is not None:
                    raise PlanNotFound("no_plan_yet", where=self._start, candidates=[])
                self._unbind()
                return None
            if key is not None:
                return plans.open(key)
            plans.notices.clear()  # a model is not shown them
            query = self._query(plans, goal)
            with plans.look_around() as place:
                chosen = choose_for_session(query, place)
                if chosen:
                    self._bound = None
                else:
                    chosen = choose_for_call(query, place)
                    if self._bound not in (None, chosen) and self._bound not in place.plans:
                        self._unbind()
                try:
                    return plans.open(chosen) if chosen else None
                except PlanNotFound:
                    if self._named is not None:
                        raise
                    return None

    def _find_plans(self) -> Plans | None:
        """Return the plans of the workspace; None as long as there is no workspace."""
        home = find_workspace(self._start)
        if self._plans is None or home is None or home.root != self._plans.home.root:
            self._close_plans()
            self._plans = None
        if self._plans is None and home is not None:
            self._plans = Plans.of_project(self._start, self._actor)
        return self._plans

    def _query(self, plans: Plans, goal: str = "") -> ServerQuery:
        is_named = self._named is not None
        root = plans.home.root
        record = None if is_named else served_record(root, self.host, self._process)
        return ServerQuery(
            named=self._named,
            attached=None if record is None else record.key,
            bound=self._bound,
            has_changed_bound=self._has_changed_bound,
            goal=goal,
            is_for_one_session=self._is_for_one_session,
        )

    def _find_chosen(self) -> str:
        """Return the key of the plan that a person has chosen for this server or session, or ""."""
        plans = self._find_plans()
        if plans is None:
            return self._named or ""
        with plans.look_around() as place:
            return choose_for_session(self._query(plans), place)

    def bind(self, plan: Plan, *, is_changed: bool = False) -> None:
        """Stay with a plan that a call is about, unless a person has chosen it."""
        with self.lock:
            key = self._plans.key_of(plan) if self._plans is not None else ""
            if key != self._find_chosen():
                was_changed = self._has_changed_bound and key == self._bound
                self._bound, self._has_changed_bound = key or None, is_changed or was_changed

    def _unbind(self) -> None:
        if self._bound is not None:
            if self._plans is not None:
                self._plans.forget(self._bound)
            self._bound = None

    def describe_unattached(self, language: Language = "en") -> str:
        """Return how to continue a plan that the session is not attached to; "" without one."""
        unfinished = self._unattached_plans()
        if not unfinished:
            return ""
        from shlex import quote as shell_word

        from outlast.hosts.session_plan import program_name

        program = "outlast" if self.host is None else program_name(self.host)
        named = unfinished[:_NAMED_PLANS]
        shown = [f"{visible(plan.key)} {plan.done}/{plan.total}" for plan in named]
        more = ["…"] if len(unfinished) > _NAMED_PLANS else []
        notice = text(
            "mcp_not_attached",
            language,
            plans=listing([*shown, *more], language),
            attach=f"{program} attach {shell_word(unfinished[0].key)}",
        )
        return quote(notice, len(notice))

    def _unattached_plans(self) -> list[ListedPlan]:
        """Return the unfinished plans here, if the agent's session is attached to none of them."""
        with self.lock:
            if not self._is_for_one_session or self._bound or self._find_chosen():
                return []
            from outlast.hosts.announce import unfinished_plans

            return unfinished_plans(self._start)

    def scratch(self, goal: str, *, begun: bool) -> Plan:
        """Return an empty plan in memory, which answers as long as there is no other."""
        return create_memory_plan(CreatePlan(new_plan_id(), goal, begun=begun), self._actor)

    def create(self, goal: str, name: str, *, begun: bool) -> Plan:
        """Create the plan that the server is about from now on; its key is made from a name."""
        with self.lock:
            plans = self._find_plans() or Plans.of_project(self._start, self._actor)
            self._plans = plans
            plan = plans.create(
                CreatePlan(new_plan_id(), goal, begun=begun), name=name, language=self._language
            )
            self._bound, self._has_changed_bound = plans.key_of(plan), True
            plans.make_current(self._bound, is_new=True)
            return plan

    def keys(self) -> list[str]:
        """Return the keys of all plans of the workspace."""
        home = find_workspace(self._start)
        return [] if home is None else home.plan_keys()

    def close(self) -> None:
        """Close all plans."""
        with self.lock:
            self._close_plans()

    def _close_plans(self) -> None:
        if self._plans is not None:
            self._plans.close()
