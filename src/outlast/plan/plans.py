"""Plans: which one is meant, how it is opened, how it is created."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, Self

from msgspec.structs import replace

from outlast.errors import HistoryDiverged, OutlastError, PlanClosed, PlanExists, PlanNotFound
from outlast.language import Language, text
from outlast.model.commands import CreatePlan
from outlast.model.limits import check_actor, check_flag, check_name, check_text
from outlast.model.model import MAIN, PERSON, PLAN, Order
from outlast.model.plan_choice import (
    UNREADABLE,
    Place,
    PlanEntry,
    PlanQuery,
    choose_plan,
    refuse_archived,
)
from outlast.plan.checker import LazyChecker
from outlast.plan.core import PlanCore
from outlast.plan.home.find import damage_error, is_url, plan_home_at, project_root, workspace_at
from outlast.plan.plan import Plan
from outlast.redact.structs import redact_commands
from outlast.store.port import EditedView, Layout, Notice, Store, Views
from outlast.system.caller import OWN_AGENT, host_agent, is_inside_tool, refuse_person_inside_agent
from outlast.system.clock import new_plan_id, now

if TYPE_CHECKING:
    from outlast.model.state import PlanState
    from outlast.plan.home.find import DurableStore, PlanHome

    Look = Callable[[str, Sequence[str] | None], PlanEntry]

MEMORY: Final = "memory:"
DEFAULT_LAYOUT: Final = "outlast"
_KEY_TRIES: Final = 100  # in which other processes may take the key
_A_TOOL: Final = "tool"  # that this process is part of
_GONE: Final = (HistoryDiverged, PlanClosed, PlanNotFound)


class Plans:
    """The plans of a workspace or a database, for one actor: choose, open and create them.

    What is opened stays open until its user or `close` closes it. `notices` get what was repaired
    or could not be read while a plan was chosen.
    """

    def __init__(
        self,
        home: PlanHome,
        actor: str = "agent",
        where: str = "",
        notices: list[Notice] | None = None,
    ) -> None:
        """Use a home, which the caller knows as `where`; nothing is opened yet."""
        self.home, self.notices = home, list[Notice]() if notices is None else notices
        self._is_project = False
        self._current: str | None = None  # key of the current plan, once it was asked for
        self._actor, self._where = actor, where or home.root
        self._is_database = is_url(where)
        self._open: dict[str, Plan] = {}
        self._held: dict[str, DurableStore] = {}

    @classmethod
    def of_project(cls, start: str, actor: str = "agent") -> Self:
        """Return the plans of the project of a directory, where commands find them.

        Without another choice, new ones have the layout of the settings.
        """
        plans = cls(workspace_at(project_root(start)), actor, start)
        plans._is_project = True
        return plans

    def choose(self, query: PlanQuery) -> str:
        """Return the key of the plan that is meant; empty if a message is a new goal."""
        if query.message is not None:
            from outlast.redact.truncate import text_of  # only runs need it

            query = replace(query, goal=text_of(query.message))
        with self.look_around(holds=False) as place:
            return choose_plan(query, place)

    def find(self, query: PlanQuery) -> Plan:
        """Return the plan that is meant."""
        with self.look_around() as place:
            return self.open(choose_plan(query, place))

    def open(self, key: str) -> Plan:
        """Return the plan with a key: the one that is open, unless another has taken its place."""
        plan = self._open.get(key)
        if plan is not None:
            try:
                plan.core.read(lambda state: state.revision)
            except _GONE:
                self.forget(key)
            else:
                return plan
        checker = LazyChecker(self.home.root)
        checker.plan_key = key
        store = self._held.pop(key, None) or self.home.open(check_name(key, "key"), now())
        return self._add(key, store, checker)

    def create(  # noqa: PLR0913 - one keyword for each choice
        self,
        command: CreatePlan,
        key: str | None = None,
        *,
        name: str = "",
        layout: str | None = None,
        preferred: str = "",
        shared: bool = False,
        person: str = "",
        language: Language = "en",
    ) -> Plan:
        """Create a plan; without a key, it is made from a name, else from the title or the goal.

        Without a `layout` it gets that of the earlier plans under its key, else the `preferred`
        one. In our own layout, the title of the phase that every plan has is in the given language.
        """
        check_text(command.goal, "goal")
        known = self.home.known_layout(check_name(key, "key")) if key is not None else ""
        layout = layout or known or preferred or self._preferred_layout()
        if layout == DEFAULT_LAYOUT and language != "en" and command.phases == (MAIN,):
            command = replace(command, phases=(replace(MAIN, title=text("main_phase", language)),))
        checker = LazyChecker(self.home.root)
        (command,) = redact_commands((command,))
        if check_actor(self._actor) == PERSON:
            refuse_person_inside_agent("actor")
        for tries_left in reversed(range(1 if key is not None else _KEY_TRIES)):
            chosen = key or self.home.unused_key(name or command.title or command.goal)
            try:
                store = self.home.create(
                    replace(command, key=chosen),
                    self._actor,
                    now(),
                    layout=layout,
                    shared=shared,
                    person=person,
                )
            except PlanExists:
                if not tries_left:
                    raise
            else:
                checker.plan_key = chosen
                return self._add(chosen, store, checker)
        raise AssertionError

    def _preferred_layout(self) -> str:
        if not self._is_project:
            return DEFAULT_LAYOUT
        from outlast.config.load import load

        return load(self.home.root).settings.layout

    def _add(self, key: str, store: DurableStore, checker: LazyChecker) -> Plan:
        """Keep a handle on a stored plan; it syncs the edits in its view files before each use."""
        if store.views is not None:
            store.views.sync_with(partial(_apply_edits, checker))
        plan = Plan(PlanCore(store, now, new_plan_id, self._actor, checker=checker))
        self._open[key] = plan
        return plan

    def make_current(self, key: str, *, is_new: bool = False) -> None:
        """Make a plan the current one of its workspace, unless an agent runs this process.

        A coding agent changes which plan a person works on only by creating one. A tool of a run,
        which finds its plan by OUTLAST_PLAN, never does.
        """
        if not (is_inside_tool() if is_new else host_agent()):
            self.home.make_current(key)

    def key_of(self, plan: Plan) -> str:
        """Return the key that an open plan is stored under; empty if it was opened elsewhere."""
        return next((key for key, known in self._open.items() if known is plan), "")

    def refuse_archived(self, key: str) -> None:
        """Raise `PlanNotFound` with the newest archived plan that has a key, if there is one."""
        with self.look_around() as place:
            refuse_archived(key, place)

    def forget(self, key: str) -> None:
        """Close a plan if it is open."""
        plan = self._open.pop(key, None)
        if plan is not None:
            plan.close()

    def close(self) -> None:
        """Close all plans."""
        for key in list(self._open):
            try:
                self.forget(key)
            except OutlastError:  # the changes are saved; the next one to open it reports this
                continue

    @contextmanager
    def look_around(self, *, holds: bool = True) -> Iterator[Place]:
        """Give what is known of the plans here; add notices on what was repaired or is unreadable.

        If it `holds` the plan that is most likely meant, that is open already when it is chosen.
        """
        self._current = None
        plans = _Listing(self.home, self._look_or_hold if holds else self._look)
        try:
            yield Place(
                plans,
                self._read_current,
                self._where,
                self.home.root,
                self._names_in_archive,
                self._is_database,
            )
        finally:
            for entry in plans.entries.values():
                self.notices += entry.notices
            while self._held:
                with closing(self._held.popitem()[1]) as store:
                    self.notices += () if damage_error(store.notices) else store.notices

    def is_current(self, key: str) -> bool:
        """Return whether a plan was the current one when a plan was chosen."""
        return key == self._current

    def _read_current(self) -> str:
        if self._current is None:
            self._current = self.home.current_key()
        return self._current

    def _look_or_hold(self, key: str, listed: Sequence[str] | None) -> PlanEntry:
        """Look at a plan; leave it open if it is likely meant: the current one, or the only one."""
        only = listed[0] if listed and len(listed) == 1 else ""
        if key in self._open or key != (self._read_current() or only):
            return self._look(key, listed)
        try:
            self._held[key] = store = self.home.open(key, now())
            return _summarize_stored(key, store, ())
        except OutlastError as error:
            return _describe_unreadable(key, error)

    def _look(self, key: str, _listed: Sequence[str] | None) -> PlanEntry:
        """Look at a plan; one of another program is only copied into memory."""
        try:
            if key in self._open:
                return self.open(key).core.read(partial(_summarize, key, ()))
            with closing(self.home.open_without_adopting(key, now())) as store:
                return _summarize_stored(key, store, tuple(store.notices))
        except OutlastError as error:
            return _describe_unreadable(key, error)

    def _names_in_archive(self) -> dict[str, str]:
        return {plan.key: plan.name for plan in self.home.archived_plans()}


class _Listing(Mapping[str, PlanEntry]):
    """The plans of a home, each looked at once, when it is asked for."""

    def __init__(self, home: PlanHome, look: Look) -> None:
        self._home, self._look = home, look
        self._keys: list[str] | None = None
        self.entries: dict[str, PlanEntry] = {}

    def __getitem__(self, key: str) -> PlanEntry:
        if key not in self.entries:
            self.entries[key] = self._look(key, self._keys)
        return self.entries[key]

    def __contains__(self, key: object) -> bool:
        return self._home.has_plan(str(key))

    def __iter__(self) -> Iterator[str]:
        if self._keys is None:
            self._keys = self._home.plan_keys()
        return iter(self._keys)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _describe_unreadable(key: str, error: OutlastError) -> PlanEntry:
    notices = ((error.text, error.details),) if error.text == UNREADABLE else ()
    return PlanEntry(key, notices=notices, error=error)


def _summarize_stored(key: str, store: Store, notices: tuple[Notice, ...]) -> PlanEntry:
    if damage_error(store.notices):
        return PlanEntry(key)
    return store.read(partial(_summarize, key, notices))


def _summarize(key: str, notices: tuple[Notice, ...], state: PlanState) -> PlanEntry:
    return PlanEntry(
        key,
        not state.has_ended,
        state.updated_at,
        state.goal,
        state.title,
        PLAN in state.ledger.leases,
        notices,
    )


def create_plan(  # noqa: PLR0913 - one keyword for each choice
    where: str | os.PathLike[str],
    goal: str,
    key: str | None = None,
    *,
    order: Order = "graph",
    layout: Layout | None = None,
    shared: bool = False,
    actor: str = "agent",
) -> Plan:
    """Create a plan in a workspace directory, a database (`"sqlite:///FILE"`) or `"memory:"`.

    A workspace keeps it in a directory named after its key: in the layout `outlast` below
    `.outlast/plans/`, in `code-agent` below `.code-agent/plans/`, in `sessions` below `.sessions/`.
    Without a layout the plan gets that of the earlier plans under its key, else `outlast`. Without
    a key, a readable one is made from the goal. `shared` lets other users read and write the plan
    as far as the umask allows.
    """
    check_text(goal, "goal")
    check_flag(shared, "shared")
    _import_ahead()
    if where == MEMORY:
        from outlast.plan.memory_plans import create_memory_plan

        return create_memory_plan(CreatePlan(new_plan_id(), goal, key or "", order=order), actor)
    command = CreatePlan(new_plan_id(), goal, order=order)
    return Plans(plan_home_at(where), actor).create(command, key, layout=layout, shared=shared)


def open_plan(
    where: str | os.PathLike[str], key: str | None = None, *, actor: str = "agent"
) -> Plan:
    """Open a plan of a workspace directory or a database (`"sqlite:///FILE"`).

    Without a key that is the current plan of the workspace if it is unfinished, else the unfinished
    plan that was changed last.
    """
    check_actor(actor)
    if where == MEMORY:
        raise PlanNotFound("no_plan_there", where=MEMORY, candidates=[])
    _import_ahead()
    plans = Plans(plan_home_at(where), actor, str(where))
    plan = plans.find(PlanQuery()) if key is None else plans.open(key)
    plan.core.store.notices[:0] = plans.notices
    log_repairs(plan)
    return plan


def _import_ahead() -> None:
    from outlast.plan import ahead  # noqa: F401 - a command does without


def _apply_edits(
    checker: LazyChecker, views: Views, edits: Sequence[EditedView], *, confirmed: bool
) -> None:
    from outlast.plan.edit_sync import EditSync
    from outlast.system.caller import host_agent

    def core(actor: str, key: str) -> PlanCore:
        return PlanCore(views.store, now, new_plan_id, actor, key=key, checker=checker)

    agent = host_agent()
    if agent:  # which may have made the edits
        runner = _A_TOOL if agent == OWN_AGENT else agent
        edits = [replace(edit, during=edit.during or runner) for edit in edits]

    EditSync(views, core).run(edits, confirmed=confirmed)


def log_repairs(plan: Plan) -> None:
    """Log repairs made on open; do not log applied edits of people."""
    repairs = [(key, details) for key, details in plan.notices if key != "edit_applied"]
    if repairs:
        from outlast.system.logs import LOG

        LOG.warning("; ".join(text(key, "en", **details) for key, details in repairs))
