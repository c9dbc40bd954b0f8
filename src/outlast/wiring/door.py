"""How a plan is begun, opened and found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.adapters.stores.memory import MemoryStore
from outlast.application.planning import Plan
from outlast.domain.commands import CreatePlan
from outlast.domain.enact import receipt
from outlast.domain.limits import check_flag, check_name, check_text
from outlast.errors import PlanExists, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.texts import EXPLAINING, text

if TYPE_CHECKING:
    import os

    from outlast.adapters.stores.files import FilesStore
    from outlast.adapters.stores.workspace import Workspace
    from outlast.domain.model import Order
    from outlast.ports.store import Store

MEMORY: Final = "memory:"
_KEY_TRIES: Final = 20


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
            return in_memory(CreatePlan(new_plan_id(), goal, key or "", order=order), actor)
        from outlast.wiring.places import workspace_at

        command = CreatePlan(new_plan_id(), goal, order=order)
        store = _create(workspace_at(where), command, key, actor, layout=layout, shared=shared)
        return _plan(store, actor)


def open_plan(
    where: str | os.PathLike[str], key: str | None = None, *, actor: str = "human"
) -> Plan:
    """Open a plan of a workspace directory; without a key, the only one that has not ended."""
    with EXPLAINING:
        check_name(actor, "actor")
        if where == MEMORY:
            raise PlanNotFound("no_plan_there", where=MEMORY, candidates=[])
        from outlast.wiring.places import open_store, workspace_at

        store = open_store(workspace_at(where), str(where), key)
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
        from outlast.wiring.places import open_store, project_of

        check_name(actor, "actor")
        workspace = project_of(start)
        if workspace is None:
            raise PlanNotFound("no_plan_yet", where=start, candidates=[])
        return _plan(open_store(workspace, start, key, ended=ended), actor)


def in_memory(command: CreatePlan, actor: str = "human", *, past: bool = True) -> Plan:
    """Begin a plan that no file keeps; without a `past` nothing can be undone."""
    store = MemoryStore(now(), past=past)
    with EXPLAINING:
        store.commit((command,), receipt, author=actor, now=now())
    return _plan(store, actor)


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


def _plan(store: Store, actor: str) -> Plan:
    return Plan(store, now, new_plan_id, actor)


def _log(store: Store) -> None:
    """Tell whoever listens to our log what had to be mended."""
    if store.notices:
        from logging import getLogger

        said = [text(key, "en", **details) for key, details in store.notices]
        getLogger("outlast").warning("; ".join(said))
