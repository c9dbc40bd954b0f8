"""The only place that puts real adapters and the application together."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final, Self

from msgspec import Struct
from msgspec.structs import replace

from outlast.adapters.stores.memory import MemoryStore
from outlast.application import plan_manager
from outlast.application.planning import Plan
from outlast.domain.commands import CreatePlan
from outlast.domain.enact import receipt
from outlast.domain.limits import check_flag, check_name, check_text
from outlast.errors import (
    DamagedJournal,
    InvalidArgument,
    OutlastError,
    PlanExists,
    PlanNotFound,
)
from outlast.ports.store import Notice
from outlast.system.clock import new_plan_id, now
from outlast.texts import EXPLAINING, explain, text

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable, Iterable

    from outlast.adapters.stores.files import FilesStore
    from outlast.adapters.stores.workspace import Workspace
    from outlast.domain.model import Lease, Order
    from outlast.domain.state import PlanState
    from outlast.ports.effects import Event, Stopped
    from outlast.ports.model import Model
    from outlast.ports.store import Store
    from outlast.ports.tool import Tool
    from outlast.texts import Language

MEMORY: Final = "memory:"
_KEY_TRIES: Final = 20


class PlanSummary(Struct, frozen=True):
    """A plan in a list of plans: why it cannot be read, or not to its end; what was mended."""

    key: str
    title: str = ""
    status: str = ""
    done: int = 0
    total: int = 0
    updated_at: datetime | None = None
    problem: OutlastError | None = None
    notices: tuple[Notice, ...] = ()


def create_plan(  # noqa: PLR0913 - what a plan begins with
    where: str | os.PathLike[str],
    goal: str,
    key: str | None = None,
    *,
    order: Order = "graph",
    layout: str = "outlast",
    shared: bool = False,
    actor: str = "human",
) -> Plan:
    """Begin a plan in a workspace directory, or in memory (`"memory:"`).

    In a workspace it is kept under its key, below `.outlast/plans/` or in the layout `sessions`
    below `.sessions/`; without a key a readable one is made from the goal. `shared` lets others
    read and write it as far as the umask allows.
    """
    with EXPLAINING:
        check_text(goal, "goal")
        check_flag(shared, "shared")
        if where == MEMORY:
            return _in_memory(CreatePlan(new_plan_id(), goal, key or "", order=order), actor)
        command = CreatePlan(new_plan_id(), goal, order=order)
        store = _create(_workspace(where), command, key, actor, layout=layout, shared=shared)
        return _plan(store, actor)


def open_plan(
    where: str | os.PathLike[str], key: str | None = None, *, actor: str = "human"
) -> Plan:
    """Open a plan of a workspace directory; without a key, the only one that has not ended."""
    with EXPLAINING:
        check_name(actor, "actor")
        if where == MEMORY:
            raise PlanNotFound("no_plan_there", where=MEMORY, candidates=[])
        store = _open(_workspace(where), str(where), key)
    _log(store)
    return _plan(store, actor)


def new_plan(
    start: str, goal: str, key: str | None = None, *, shared: bool = False, actor: str = "human"
) -> Plan:
    """Begin a plan in the project that a directory belongs to, where `find_plan` finds it."""
    from outlast.system.roots import find_home, new_home

    return create_plan(find_home(start) or new_home(start), goal, key, shared=shared, actor=actor)


def find_plan(
    start: str, key: str | None = None, *, actor: str = "human", ended: bool = False
) -> Plan:
    """Open a plan of the project that a directory belongs to.

    Without a key it is the only one that has not ended; with `ended` also one that has, if there is
    no other.
    """
    with EXPLAINING:
        check_name(actor, "actor")
        workspace = _project(start)
        if workspace is None:
            raise PlanNotFound("no_plan_yet", where=start, candidates=[])
        return _plan(_open(workspace, start, key, ended=ended), actor)


def list_plans(start: str, *, thorough: bool = False) -> list[PlanSummary]:
    """Return the plans of a project; `thorough` reads all of each, not only what is needed."""
    with EXPLAINING:
        workspace = _project(start)
        keys = workspace.known() if workspace else []
        return [_summary(workspace, key, thorough=thorough) for key in keys if workspace]


def mend_plan(start: str, key: str) -> list[Notice]:
    """Mend a plan of a project whose journal is damaged; the damaged file is kept."""
    with EXPLAINING:
        workspace = _project(start)
        if workspace is None:
            raise PlanNotFound("no_plan_yet", where=start, candidates=[])
        return workspace.mend(check_name(key, "key"), now())


def _project(start: str) -> Workspace | None:
    """Return the nearest workspace; `.sessions` may be somebody else's, so it counts less."""
    from outlast.adapters.stores.workspace import HOMES
    from outlast.system.roots import find_home

    for home in HOMES:
        found = find_home(start, home)
        if found is not None:
            return _workspace(found)
    return None


def _summary(workspace: Workspace, key: str, *, thorough: bool) -> PlanSummary:
    try:
        store = workspace.look(key, now())
        try:
            found = _with_notices(replace(store.read(_summarized), key=key), store.notices)
        finally:
            store.close()
        if thorough:
            workspace.look_for_damage(key, now())
    except OutlastError as error:
        explain(error)
        return PlanSummary(key, problem=error)
    return found


def _with_notices(plan: PlanSummary, notices: list[Notice]) -> PlanSummary:
    """Add what was noticed; damage is no news beside the rest, it is the problem."""
    problem = damage(notices)
    if problem is None:
        return replace(plan, notices=tuple(notices))
    explain(problem)
    others = tuple(notice for notice in notices if notice[0] != problem.text)
    return replace(plan, notices=others, problem=problem)


def damage(notices: Iterable[Notice]) -> DamagedJournal | None:
    """Return the error for a plan that is damaged, so that it was not read to its end."""
    for key, details in notices:
        if key == "journal_damaged":
            return DamagedJournal(key, **details)
    return None


def _summarized(state: PlanState) -> PlanSummary:
    total = len(state.tasks)
    return PlanSummary(
        state.key, state.title, state.status, state.finished, total, state.updated_at
    )


def _create(  # noqa: PLR0913 - what a plan begins with
    workspace: Workspace,
    command: CreatePlan,
    key: str | None,
    actor: str,
    *,
    layout: str,
    shared: bool,
) -> FilesStore:
    from outlast.system.slugs import new_key

    check_name(actor, "actor")
    for tries_left in reversed(range(_KEY_TRIES)):
        chosen = new_key(command.goal) if key is None else check_name(key, "key")
        named = replace(command, key=chosen)
        try:
            return workspace.create(named, actor, now(), layout=layout, shared=shared)
        except PlanExists:
            if key is not None or not tries_left:
                raise
    raise AssertionError


def _open(workspace: Workspace, where: str, key: str | None, *, ended: bool = False) -> FilesStore:
    if key is not None:
        return workspace.open(check_name(key, "key"), now())
    return _only_open(workspace, where, ended=ended)


def _only_open(workspace: Workspace, where: str, *, ended: bool) -> FilesStore:
    """Return the one plan that has not ended; a plan that cannot be read may be that one."""
    known = workspace.known()
    if not known:
        raise PlanNotFound("no_plan_yet", where=where, candidates=[])
    mended: list[Notice] = []
    looked = ((key, _not_ended(workspace, key, mended)) for key in known)
    found = {key: store for key, store in looked if store is not None}
    if len(found) == 1:
        [(key, only)] = found.items()
        if isinstance(only, OutlastError):
            raise only
        store = workspace.open(key, now()) if isinstance(only, MemoryStore) else only
        store.notices[:0] = mended
        return store
    for other in found.values():
        if not isinstance(other, OutlastError):
            other.close()
    if found:
        raise PlanNotFound("which_plan", count=len(found), candidates=list(found))
    if not ended or len(known) > 1:
        raise PlanNotFound("no_open_plan", candidates=known)
    store = workspace.open(known[0], now())
    store.notices[:0] = mended
    return store


def _not_ended(
    workspace: Workspace, key: str, mended: list[Notice]
) -> FilesStore | MemoryStore | OutlastError | None:
    try:
        store = workspace.look(key, now())
    except OutlastError as error:
        return error
    if damage(store.notices) or not store.read(_has_ended):
        return store
    mended += store.notices
    store.close()
    return None


def _has_ended(state: PlanState) -> bool:
    """Tell whether a plan is over; one that failed tasks hold up can still be helped."""
    return state.status == "completed" or state.hold == "aborted"


def _workspace(where: str | os.PathLike[str]) -> Workspace:
    import os

    from outlast.adapters.stores.workspace import Workspace
    from outlast.system.disk import Disk

    path = os.fspath(where) if isinstance(where, os.PathLike) else where
    return Workspace(os.path.abspath(check_name(path, "where")), Disk())  # noqa: PTH100 - without the cost of pathlib


def _plan(store: Store, actor: str) -> Plan:
    return Plan(store, now, new_plan_id, actor)


def _log(store: Store) -> None:
    """Tell whoever listens to our log what had to be mended."""
    if store.notices:
        from logging import getLogger

        said = [text(key, "en", **details) for key, details in store.notices]
        getLogger("outlast").warning("; ".join(said))


def _in_memory(command: CreatePlan, actor: str = "human", *, past: bool = True) -> Plan:
    store = MemoryStore(now(), past=past)
    with EXPLAINING:
        store.commit((command,), receipt, author=actor, now=now())
    return _plan(store, actor)


async def run_loop(  # noqa: PLR0913 - one keyword for each thing that can be chosen
    goal: str,
    plan: Plan,
    model: Model,
    tools: Iterable[Tool] = (),
    *,
    max_iterations: int = 20,
    on_event: Callable[[Event], object] | None = None,
    actor: str = "agent",
    language: Language = "en",
    lease_seconds: int = 60,
) -> Stopped:
    """Let a model work on a plan; go on from where an earlier loop was interrupted.

    The plan is held meanwhile, so that no other loop runs on it. What has died holds it for
    `lease_seconds` at most.
    """
    from outlast.adapters.drivers.local import run
    from outlast.application.loops.holding import holding
    from outlast.application.loops.tool_loop import tool_loop
    from outlast.application.wrappers.stack import offered, stacked

    given, own = tuple(tools), plan.acting_as(actor)

    def work(lease: Lease) -> Awaitable[Stopped]:
        loop = tool_loop(goal, offered(given), max_iterations=max_iterations, language=language)
        return run(loop, stacked(own, lease, model, given, on_event))

    return await holding(own, lease_seconds, work, on_event, language)


def file_tools(workspace: str) -> tuple[Tool, ...]:
    """Return `read_file` and `write_file` for the files below a directory."""
    from outlast.adapters.tools.read_file import ReadFile
    from outlast.adapters.tools.write_file import WriteFile

    return ReadFile(workspace), WriteFile(workspace)


class PlanManager(plan_manager.PlanManager):
    """The plan as a set of functions for a model; without a plan it makes one in memory."""

    def __init__(self, plan: Plan | None = None, *, goal: str = "", actor: str = "agent") -> None:
        """Serve a plan, or a new one with this goal, acting in somebody's name."""
        if plan is not None and goal:
            with EXPLAINING:
                raise InvalidArgument("goal_of_other_plan", argument="goal")
        if plan is None:
            with EXPLAINING:
                check_text(goal, "goal")
            plan = _in_memory(CreatePlan(new_plan_id(), goal), past=False)
        super().__init__(plan, actor=actor)

    @classmethod
    def from_dict(cls, data: object, *, actor: str = "agent") -> Self:
        """Take a plan over from what `to_dict` gave.

        Raises `InvalidDocument` for what is no plan, and another of `outlast.errors` for a plan
        that is against the rules.
        """
        from outlast.formats import manager_parse

        with EXPLAINING:
            command = manager_parse.parse(data, new_plan_id(), now())
        return cls(_in_memory(command, past=False), actor=actor)
