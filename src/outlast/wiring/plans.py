"""How a plan is begun, opened and found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.adapters.stores.memory import MemoryStore
from outlast.application.plan.plan import Plan
from outlast.domain.commands import CreatePlan
from outlast.domain.enact import receipt
from outlast.domain.limits import check_flag, check_name, check_text
from outlast.domain.model import PERSON
from outlast.errors import PlanExists, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.texts import text
from outlast.wiring.checks import LateChecker

if TYPE_CHECKING:
    import os

    from outlast.domain.model import Order
    from outlast.ports.store import Store
    from outlast.wiring.workspaces import Kept, Place

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
    """Begin a plan in a workspace directory, a database (`"sqlite:///FILE"`) or `"memory:"`.

    In a workspace it is kept under its key: below `.outlast/plans/`, in the layout `code-agent`
    below `.code-agent/plans/`, in the layout `sessions` below `.sessions/`. Without a key a
    readable one is made from the goal. `shared` lets others read and write it as far as the umask
    allows.
    """
    check_text(goal, "goal")
    check_flag(shared, "shared")
    if where == MEMORY:
        return in_memory(CreatePlan(new_plan_id(), goal, key or "", order=order), actor)
    command = CreatePlan(new_plan_id(), goal, order=order)
    return keep_plan(where, command, key, layout=layout, shared=shared, actor=actor)


def keep_plan(  # noqa: PLR0913 - what a plan begins with
    where: str | os.PathLike[str],
    command: CreatePlan,
    key: str | None = None,
    *,
    layout: str = "outlast",
    shared: bool = False,
    actor: str = "human",
) -> Plan:
    """Begin a plan in a workspace directory that may have tasks from elsewhere."""
    from outlast.wiring.workspaces import place_at

    place = place_at(where)
    checker = LateChecker(place.root)
    store = _create(place, command, key, actor, layout=layout, shared=shared)
    return _kept(store, actor, checker)


def open_plan(
    where: str | os.PathLike[str], key: str | None = None, *, actor: str = "human"
) -> Plan:
    """Open a plan of a workspace directory or a database (`"sqlite:///FILE"`).

    Without a key it is the only one that has not ended.
    """
    check_name(actor, "actor")
    if where == MEMORY:
        raise PlanNotFound("no_plan_there", where=MEMORY, candidates=[])
    from outlast.wiring.workspaces import open_store, place_at

    place = place_at(where)
    checker = LateChecker(place.root)
    store = open_store(place, str(where), key)
    plan = _kept(store, actor, checker)
    _log(store)
    return plan


def new_plan(
    start: str, goal: str, key: str | None = None, *, shared: bool = False, actor: str = "human"
) -> Plan:
    """Begin a plan in the project that a directory belongs to, where `find_plan` finds it."""
    from outlast.system.workspace_root import find_home, new_home

    return create_plan(find_home(start) or new_home(start), goal, key, shared=shared, actor=actor)


def find_plan(
    start: str, key: str | None = None, *, actor: str = "human", ended: bool = False
) -> Plan:
    """Open a plan of the project that a directory belongs to.

    Without a key it is the only one that has not ended; with `ended` also one that has, if there is
    no other.
    """
    from outlast.wiring.workspaces import open_store, project_of

    check_name(actor, "actor")
    workspace = project_of(start)
    if workspace is None:
        raise PlanNotFound("no_plan_yet", where=start, candidates=[])
    checker = LateChecker(workspace.root)
    store = open_store(workspace, start, key, ended=ended)
    return _kept(store, actor, checker)


def in_memory(command: CreatePlan, actor: str = "human", *, past: bool = True) -> Plan:
    """Begin a plan that no file keeps; without a `past` nothing can be undone."""
    store = MemoryStore(now(), past=past)
    store.commit((command,), receipt, author=actor, now=now())
    return _plan(store, actor, LateChecker())


def _create(  # noqa: PLR0913 - what a plan begins with
    place: Place,
    command: CreatePlan,
    key: str | None,
    actor: str,
    *,
    layout: str,
    shared: bool,
) -> Kept:
    from outlast.system.slugs import new_key

    check_name(actor, "actor")
    for tries_left in reversed(range(_KEY_TRIES)):
        chosen = new_key(command.goal) if key is None else check_name(key, "key")
        named = replace(command, key=chosen)
        try:
            return place.create(named, actor, now(), layout=layout, shared=shared)
        except PlanExists:
            if key is not None or not tries_left:
                raise
    raise AssertionError


def _plan(store: Store, actor: str, checker: LateChecker) -> Plan:
    return Plan(store, now, new_plan_id, actor, checker=checker)


def _kept(store: Kept, actor: str, checker: LateChecker) -> Plan:
    """Return a handle on a plan in files; what people wrote into them is taken in."""
    from outlast.adapters.stores.views.store import ViewedStore

    if not isinstance(store, ViewedStore):
        return _plan(store, actor, checker)
    from outlast.application.sync.store import FollowedStore

    def person(key: str) -> Plan:
        return Plan(store, now, new_plan_id, PERSON, key=key, checker=checker)

    followed = FollowedStore(store, person)
    followed.take_in()
    return _plan(followed, actor, checker)


def _log(store: Store) -> None:
    """Tell whoever listens to our log what had to be mended, not what people are obeyed in."""
    told = [(key, details) for key, details in store.notices if key != "edit_taken"]
    if told:
        from outlast.system.logs import LOG

        said = [text(key, "en", **details) for key, details in told]
        LOG.warning("; ".join(said))
