"""Create, open and find plans."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import PlanExists, PlanNotFound
from outlast.language import Language, text
from outlast.model.commands import CreatePlan
from outlast.model.execute import return_commit
from outlast.model.limits import check_actor, check_flag, check_name, check_text
from outlast.model.model import MAIN, PERSON, Order
from outlast.plan.checker import LazyChecker
from outlast.plan.core import PlanCore
from outlast.plan.plan import Plan
from outlast.redact.structs import redact_commands
from outlast.store.port import Layout
from outlast.system.caller import OWN_AGENT, host_agent, refuse_person_inside_agent
from outlast.system.clock import new_plan_id, now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.plan.home.find import DurableStore, PlanHome
    from outlast.store.edits import EditableStore, EditedView
    from outlast.store.port import Store

MEMORY: Final = "memory:"
DEFAULT_LAYOUT: Final = "outlast"
_KEY_TRIES: Final = 100  # in which other processes may take the key
_A_TOOL: Final = "tool"  # that this process is part of


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
    if where == MEMORY:
        return create_memory_plan(CreatePlan(new_plan_id(), goal, key or "", order=order), actor)
    from outlast.plan.home.find import plan_home_at

    home, command = plan_home_at(where), CreatePlan(new_plan_id(), goal, order=order)
    return create_at(home, command, key, layout=layout, shared=shared, actor=actor)


def create_at(  # noqa: PLR0913 - one keyword for each choice
    home: PlanHome,
    command: CreatePlan,
    key: str | None,
    *,
    layout: str | None = None,
    preferred: str = DEFAULT_LAYOUT,
    shared: bool = False,
    actor: str = "agent",
    person: str = "",
    language: Language = "en",
) -> Plan:
    """Create a plan in a workspace or a database.

    Without a `layout` it gets that of the earlier plans under its key, else the `preferred` one.
    In our own layout, the title of the phase that every plan has is in the given language.
    """
    if layout is None:
        layout = (home.known_layout(check_name(key, "key")) if key is not None else "") or preferred
    if layout == DEFAULT_LAYOUT and language != "en" and command.phases == (MAIN,):
        command = replace(command, phases=(replace(MAIN, title=text("main_phase", language)),))
    checker = LazyChecker(home.root)
    (redacted,) = redact_commands((command,))
    store = _create_store(home, redacted, key, actor, layout=layout, shared=shared, person=person)
    checker.plan_key = store.read(lambda state: state.key) if key is None else key
    return _open_synced(store, actor, checker)


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
    from outlast.plan.home.find import plan_home_at

    plan = open_at(plan_home_at(where), str(where), key, actor=actor)
    _log_repairs(plan.core.store)
    return plan


def open_at(
    home: PlanHome, where: str, key: str | None = None, *, actor: str = "agent", ended: bool = False
) -> Plan:
    """Open a plan of a workspace or a database, which the caller knows as `where`."""
    return open_with_key(home, where, key, actor=actor, ended=ended)[1]


def open_with_key(
    home: PlanHome, where: str, key: str | None, *, actor: str, ended: bool
) -> tuple[str, Plan]:
    """Open a plan like `open_at`; return the key that it is stored under too."""
    from outlast.plan.current_plan import open_store

    checker = LazyChecker(home.root)
    checker.plan_key, store = open_store(home, where, key, ended=ended)
    return checker.plan_key, _open_synced(store, actor, checker)


def create_project_plan(  # noqa: PLR0913 - one keyword for each choice
    start: str,
    command: CreatePlan,
    key: str | None = None,
    *,
    layout: Layout | None = None,
    shared: bool = False,
    actor: str = "agent",
    person: str = "",
    language: Language = "en",
) -> Plan:
    """Create a plan in the workspace of a directory, where `find_plan` finds it.

    Its layout is the given one, else that of its key, else that of the settings.
    """
    from outlast.config.load import load
    from outlast.plan.home.find import project_root, workspace_at

    check_text(command.goal, "goal")
    root = project_root(start)
    preferred = DEFAULT_LAYOUT if layout else load(root).settings.layout
    return create_at(
        workspace_at(root),
        command,
        key,
        layout=layout,
        preferred=preferred,
        shared=shared,
        actor=actor,
        person=person,
        language=language,
    )


def find_plan(
    start: str, key: str | None = None, *, actor: str = "agent", ended: bool = False
) -> Plan:
    """Open a plan of the workspace that a directory belongs to.

    Without a key that is the current plan if it is unfinished, else the unfinished plan that was
    changed last; with `ended` an ended one will do.
    """
    from outlast.plan.home.find import require_workspace

    check_actor(actor)
    return open_at(require_workspace(start), start, key, actor=actor, ended=ended)


def create_memory_plan(command: CreatePlan, actor: str = "agent", *, past: bool = True) -> Plan:
    """Create a plan in memory; without a `past` nothing can be undone."""
    from outlast.store.memory import MemoryStore

    store = MemoryStore(now(), keep_history=past)
    core = PlanCore(store, now, new_plan_id, actor, checker=LazyChecker())
    core.commit((command,), return_commit)
    return Plan(core)


def _create_store(  # noqa: PLR0913 - one keyword for each choice
    home: PlanHome,
    command: CreatePlan,
    key: str | None,
    actor: str,
    *,
    layout: str,
    shared: bool,
    person: str,
) -> DurableStore:
    if check_actor(actor) == PERSON:
        refuse_person_inside_agent("actor")
    if key is not None:
        check_name(key, "key")
    for tries_left in reversed(range(_KEY_TRIES)):
        chosen = key or home.unused_key(command.title or command.goal)
        try:
            return home.create(
                replace(command, key=chosen),
                actor,
                now(),
                layout=layout,
                shared=shared,
                person=person,
            )
        except PlanExists:
            if key is not None or not tries_left:
                raise
    raise AssertionError


def _open_synced(store: DurableStore, actor: str, checker: LazyChecker) -> Plan:
    """Return a handle on a stored plan, which syncs the edits in its view files before each use."""
    from outlast.documents.views.store import RenderingStore

    if isinstance(store, RenderingStore):
        store.sync_with(partial(_apply_edits, checker))
    return Plan(PlanCore(store, now, new_plan_id, actor, checker=checker))


def _apply_edits(
    checker: LazyChecker, store: EditableStore, edits: Sequence[EditedView], *, confirmed: bool
) -> None:
    from outlast.documents.sync.edit_sync import EditSync

    def core(actor: str, key: str) -> PlanCore:
        return PlanCore(store, now, new_plan_id, actor, key=key, checker=checker)

    agent = host_agent()
    if agent:  # which may have made the edits
        runner = _A_TOOL if agent == OWN_AGENT else agent
        edits = [replace(edit, during=edit.during or runner) for edit in edits]

    EditSync(store, core).run(edits, confirmed=confirmed)


def _log_repairs(store: Store) -> None:
    """Log repairs made on open; do not log applied edits of people."""
    repairs = [(key, details) for key, details in store.notices if key != "edit_applied"]
    if repairs:
        from outlast.system.logs import LOG

        LOG.warning("; ".join(text(key, "en", **details) for key, details in repairs))
