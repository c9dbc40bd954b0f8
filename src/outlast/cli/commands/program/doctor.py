"""`doctor`: diagnose this machine, what its plans depend on and the plans, and repair these."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from pathlib import Path
from shlex import quote
from stat import S_ISDIR, S_IWGRP, S_IWOTH
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

import outlast
from outlast.console.call import FAILURE, OK, Answer, Call, Json, PlanContext
from outlast.console.plan_context import plan_query
from outlast.console.render.errors import error_text
from outlast.console.render.overview import advice_lines
from outlast.context.tokens import estimate_tokens
from outlast.errors import DamagedJournal, OutlastError, PlanNotFound, StoreError
from outlast.hosts.announce import injected_text
from outlast.hosts.hook.answer import is_off
from outlast.hosts.settings.health import host_rows, inspect_hosts
from outlast.hosts.settings.setup import this_installation, user_places
from outlast.language import status_words, visible
from outlast.model.model import PERSON, Check, Label
from outlast.model.plan_choice import PlanQuery
from outlast.plan.home.find import (
    database_at,
    find_workspace,
    gone_plans,
    is_url,
    require_home,
    require_workspace,
    restore_gone_plan,
)
from outlast.plan.plan_list import (
    ListedPlan,
    find_damaged_keys,
    list_plans,
    renew_identity,
    repair_plan,
)
from outlast.plan.plans import Plans, open_plan
from outlast.store.port import Notice
from outlast.system.clock import now
from outlast.system.disk import TEMPORARY, Disk, describe_error, write_temporary
from outlast.system.state_home import state_home
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.plan.home.kept_journals import KeptPlan
    from outlast.plan.home.workspace import Workspace
    from outlast.plan.plan import Plan

    Repair = tuple[list[Notice], OutlastError | None]  # what was done, or why it could not be

_PROBE: Final = "probe"
_PROBE_BYTES: Final = 1 << 16  # room for a commit and the views of a plan
_DOUBTFUL: Final[tuple[Label, ...]] = (
    "stale",
    "tampered",
    "forged",
    "fails now",
    "unproved, fails now",
    "unknown",
)
# Notices about what is settled already; every other notice needs a person.
_SETTLED: Final = frozenset(
    (
        "tail_cut",
        "leftover_removed",
        "journal_back",
        "journal_copy_back",
        "journal_repaired",
        "branches_merged",
        "tasks_restored",
        "plan_rebuilt",
        "plan_rebuilt_undated",
        "identity_renewed",
        "key_renewed",
        "database_repaired",
        "view_kept",
        "view_set_aside",
        "view_damaged",
        "plan_file_set_aside",
        "edit_applied",
    )
)


class Diagnosis(Struct, frozen=True):
    """One result of the diagnosis, or one repair that was made."""

    what: str
    ok: bool
    message: str = field(name="says")


def doctor(
    call: Call,
    *,
    where: str | None = None,
    repair: bool = False,
    restore: bool = False,
    new_identity: str | None = None,
) -> Answer:
    """Diagnose this machine and the plans here or in `where`; `repair` repairs them first.

    `restore` only brings plans back whose files are gone.

    A plan that cannot be repaired does not keep the others from being repaired and shown.
    `new_identity` only gives a copied plan an identity of its own.
    """
    start = current_directory() if where is None else where
    if new_identity is not None or restore:
        return _restore_gone(call, start) if restore else _renew_identity(call, start, new_identity)
    if where is not None and not is_url(where):
        call = replace(call, context=PlanContext(where=where))
    results = list(_diagnose_machine(call, start))
    repairs: dict[str, Repair] = {}
    try:
        for key in _damaged_keys(call, start, repair=repair):
            repairs[key] = _try_repair(start, key)
        plans = list_plans(start, thorough=True)
    except DamagedJournal as error:  # a database of which not even the keys can be read
        plans = []
        if not repairs:
            database, message = call.text("doctor_database"), error_text(error, call)
            results.append(Diagnosis(database, ok=False, message=message))
    else:
        if where is not None and not plans and not repairs:
            raise PlanNotFound("no_plan_there", where=where, candidates=[])
    results += _diagnose_plans(call, start, plans, repairs)
    hosts, told = _diagnose_hosts(call, start) if where is None else ([], None)
    results += hosts
    results = list(dict.fromkeys(results))
    is_healthy = all(result.ok for result in results)

    def as_text() -> str:
        summary = call.text("say_healthy" if is_healthy else "say_trouble")
        injected = [f"    {visible(line)}" for line in (told or "").splitlines()]
        return "\n".join([*map(_line, results), *injected, summary])

    def as_json() -> Json:
        context = {} if told is None else {"context": {"text": told, "tokens": _tokens(told)}}
        return {"findings": results, **context}

    return Answer(as_json, as_text, OK if is_healthy else FAILURE)


def _diagnose_hosts(call: Call, start: str) -> tuple[list[Diagnosis], str | None]:
    """Diagnose coding agents; also return what a session would be told, if one is set up."""
    hosts = [*inspect_hosts(user_places(start), this_installation(outlast.__version__))]
    results = [Diagnosis(what, ok, says) for what, ok, says in host_rows(call, hosts)]
    if not any(host.setups for host in hosts):
        return results, None
    told, is_own, what = "", False, call.text("doctor_context")
    if is_off():
        says = call.text("doctor_hooks_off")
    else:
        with suppress(OutlastError):  # a damaged plan is reported as such
            told, is_own = injected_text(start)
        key = "doctor_injected_here" if is_own else "doctor_injected"
        says = call.text(key if told else "doctor_injected_nothing", count=_tokens(told))
    return [*results, Diagnosis(what, ok=True, message=says)], told


def _tokens(told: str) -> int:
    return round(estimate_tokens(told))


def _line(result: Diagnosis) -> str:
    return f"{'✓' if result.ok else '✗'} {visible(f'{result.what}: {result.message}')}"


def _renew_identity(call: Call, start: str, beginning: str | None) -> Answer:
    key = Plans(require_home(start)).choose(PlanQuery(key=beginning))
    results = [*_diagnose_notices(call, key, [renew_identity(start, key)])]
    return Answer(lambda: {"findings": results}, lambda: "\n".join(map(_line, results)), OK)


def _restore_gone(call: Call, start: str) -> Answer:
    """Bring back the plans that are gone, or the one that was named; render their views."""
    found = [] if is_url(start) else gone_plans(start)
    named = call.common.get("plan")
    results = [_restore_one(call, plan) for plan in found if named in (None, plan.key)]
    if not results:
        nothing = call.text("doctor_nothing_gone")
        results = [Diagnosis(call.text("doctor_workspace"), ok=True, message=nothing)]
    code = OK if all(result.ok for result in results) else FAILURE
    return Answer(lambda: {"findings": results}, lambda: "\n".join(map(_line, results)), code)


def _restore_one(call: Call, gone: KeptPlan) -> Diagnosis:
    what = call.text("doctor_plan", key=gone.key)
    try:
        restore_gone_plan(gone)
        with Plans(require_home(gone.root), PERSON).open(gone.key) as plan:
            plan.files.render()
            progress = plan.progress
    except OutlastError as error:
        return Diagnosis(what, ok=False, message=error_text(error, call))
    done = {"done": progress.current, "total": progress.total}
    says = "doctor_copy_restored" if gone.is_copy else "doctor_restored"
    return Diagnosis(what, ok=True, message=call.text(says, **done))


def _diagnose_machine(call: Call, start: str) -> Iterator[Diagnosis]:
    machine = inspect_machine(start)
    yield Diagnosis("outlast", ok=True, message=outlast.__version__)
    yield Diagnosis("python", ok=True, message=f"{platform.python_version()} {sys.executable}")
    yield Diagnosis("sqlite", ok=True, message=machine.sqlite)
    kind = machine.file_system or call.text("doctor_unknown")
    place = call.text("doctor_database" if machine.is_database else "doctor_workspace")
    says = f"{machine.where} ({kind})"
    if machine.problem:
        says = call.text("doctor_cannot_store", where=says, problem=machine.problem)
    yield Diagnosis(place, ok=not machine.problem, message=says)
    for path in machine.nameless:
        yield Diagnosis(place, ok=False, message=call.text("doctor_nameless", path=path))
    gone = [] if machine.is_database else _gone_keys(start)
    if gone:
        yield Diagnosis(place, ok=False, message=call.text("say_plans_gone", keys=gone))
    yield _diagnose_state(call, machine)


def _gone_keys(start: str) -> list[str]:
    """Return the keys of plans that are gone; one that lost its journal alone is damaged."""
    workspace = find_workspace(start)
    keys = (plan.key for plan in gone_plans(start))
    return [quote(key) for key in keys if workspace is None or not workspace.has_plan(key)]


def _diagnose_state(call: Call, machine: Machine) -> Diagnosis:
    what, where = call.text("doctor_state"), machine.state_home
    if machine.is_state_exposed:
        return Diagnosis(what, ok=False, message=call.text("state_home_open", where=where))
    if machine.is_state_writable:
        return Diagnosis(what, ok=True, message=where)
    return Diagnosis(what, ok=False, message=" ".join([where, call.text("doctor_not_writable")]))


def _try_repair(start: str, key: str) -> Repair:
    try:
        return repair_plan(start, key), None
    except OutlastError as error:
        return [], error


def _damaged_keys(call: Call, start: str, *, repair: bool) -> list[str]:
    """Return the plans to repair: the one that was named, else all that are damaged."""
    if not repair:
        return []
    if call.plan:
        home = require_home(start)
        return [Plans(home).choose(plan_query(call, home))]
    return find_damaged_keys(start)


def _diagnose_plans(
    call: Call, start: str, plans: list[ListedPlan], repairs: dict[str, Repair]
) -> Iterator[Diagnosis]:
    for key, (notices, _) in repairs.items():
        yield from _diagnose_notices(call, key, notices)
    for plan in plans:
        _, refusal = repairs.get(plan.key, ([], None))
        several = len(plans) > 1
        about = PlanContext(plan.key, is_one_of_several=several, where=call.context.where)
        listed = replace(plan, problem=refusal or plan.problem)
        yield from _diagnose_plan(replace(call, context=about), start, listed)
    keys = {plan.key for plan in plans}
    for key, (_, refusal) in repairs.items():
        if refusal is not None and key not in keys:  # its row in a database is damaged too
            yield _diagnose_problem(call, key, refusal)


def _diagnose_notices(call: Call, key: str, notices: Iterable[Notice]) -> Iterator[Diagnosis]:
    for text, details in notices:
        yield Diagnosis(
            call.text("doctor_plan", key=key),
            ok=text in _SETTLED,
            message=call.text(text, **details),
        )


def _diagnose_problem(call: Call, key: str, problem: OutlastError) -> Diagnosis:
    what = call.text("doctor_plan", key=key)
    return Diagnosis(what, ok=False, message=error_text(problem, call))


def _diagnose_plan(call: Call, start: str, plan: ListedPlan) -> Iterator[Diagnosis]:
    yield from _diagnose_notices(call, plan.key, plan.notices)
    if plan.problem is not None:
        yield _diagnose_problem(call, plan.key, plan.problem)
        return
    what = call.text("doctor_plan", key=plan.key)
    status = status_words(plan.condition, call.language)
    yield Diagnosis(what, ok=True, message=f"{status} {plan.done}/{plan.total}")
    health = inspect_plan(start, plan.key)
    yield from _diagnose_notices(call, plan.key, health.notices)
    for says in _problems(call, health):
        yield Diagnosis(what, ok=False, message=says)


def _problems(call: Call, health: Health) -> Iterator[str]:
    if health.problem is not None:
        yield error_text(health.problem, call)
    yield from advice_lines(call, dict.fromkeys(health.unapproved, "not approved"))
    yield from advice_lines(call, health.doubtful)
    for name in health.leftovers:
        yield call.text("doctor_left_over", name=name)


class Machine(Struct, frozen=True):
    """Where plans are stored, on what kind of file system, and the user's state directory.

    `where` is a workspace or a database. The state directory is ignored if it is not writable, or
    if other users can write to it. `problem` is why nothing can be stored: a disk that is full or
    read-only, or no permission. `nameless` are directories of plans whose key is lost.
    """

    where: str
    is_database: bool
    file_system: str
    state_home: str
    is_state_writable: bool
    is_state_exposed: bool
    sqlite: str
    problem: str = ""
    nameless: tuple[str, ...] = ()


class Health(Struct, frozen=True):
    """The notices of opening a plan, and what a person should attend to."""

    notices: tuple[Notice, ...] = ()
    unapproved: dict[int, tuple[Check, ...]] = {}
    doubtful: dict[int, Label] = {}
    leftovers: tuple[str, ...] = ()
    problem: OutlastError | None = None


def inspect_machine(start: str, disk: Disk | None = None) -> Machine:
    """Inspect the storage of a workspace, or of the database of a URL."""
    from sqlite3 import sqlite_version

    disk = disk or Disk()
    where, root, homes = _storage_of(start, disk)
    own, workspace = state_home(), None if is_url(start) else find_workspace(start)
    return Machine(
        where,
        is_url(start),
        disk.file_system(root),
        own,
        _is_writable(own),
        _is_writable_by_others(own),
        sqlite_version,
        next(filter(None, (_try_to_write(home, disk) for home in homes)), ""),
        tuple(workspace.nameless_directories()) if workspace else (),
    )


def _storage_of(start: str, disk: Disk) -> tuple[str, str, list[str]]:
    """Return where plans are stored, the directory of that, and those that hold plans."""
    from outlast.plan.home.layouts import HOMES

    if is_url(start):
        database = database_at(start)
        return database.path, database.root, [database.root]
    if not disk.is_directory(start):
        raise StoreError("no_directory", where=start)
    workspace = find_workspace(start)
    root = workspace.root if workspace else disk.real_path(start)
    homes = (f"{root}/{name}" for name in HOMES)
    return root, root, [home for home in homes if disk.is_directory(home)]


def _try_to_write(directory: str, disk: Disk) -> str:
    """Write a file and remove it; return what the system says if that fails."""
    try:
        new = write_temporary(disk, f"{directory}/{_PROBE}", bytes(_PROBE_BYTES), sync=True)
        disk.remove(new)
    except OSError as error:
        return describe_error(error)
    return ""


def _is_writable(directory: str) -> bool:
    """Return whether a directory can be written, or created."""
    path = Path(directory)
    nearest = next(entry for entry in (path, *path.parents) if os.path.lexists(entry))
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def _is_writable_by_others(directory: str) -> bool:
    """Return whether other users can write to the state directory, which is ignored then."""
    try:
        mode = Path(directory, "outlast").stat().st_mode
    except OSError:  # missing or unreachable
        return False
    return S_ISDIR(mode) and bool(mode & (S_IWGRP | S_IWOTH))


def inspect_plan(start: str, key: str) -> Health:
    """Open a plan as every command does, and inspect it."""
    workspace = None if is_url(start) else require_workspace(start)
    try:
        if workspace is None:
            with open_plan(start, key, actor=PERSON) as plan:
                return _inspect(plan)
        if not workspace.has_journal(key):  # opening it would adopt it
            workspace.open_without_adopting(key, now()).close()
            return Health()
        with Plans(workspace, PERSON).open(key) as plan:
            health = _inspect(plan, _find_leftovers(workspace, key))
        return replace(health, notices=(*_check_identity(workspace, key), *health.notices))
    except OutlastError as error:
        return Health(problem=error)


def _check_identity(workspace: Workspace, key: str) -> list[Notice]:
    """Return the notice about a journal that was made for another plan; none if it is its own."""
    other = workspace.foreign_key(key)
    if not other:
        return []
    if not workspace.has_plan(other):
        text = "plan_renamed"
    else:
        text = "plan_swapped" if workspace.foreign_key(other) == key else "plan_copied"
    return [(text, {"key": quote(key), "other": other})]


def _inspect(plan: Plan, leftovers: tuple[str, ...] = ()) -> Health:
    done = {task.id for task in plan.tasks("completed")}
    labels = {task: status.label for task, status in plan.checks.proofs().items()}
    doubtful = {
        task: label
        for task, label in labels.items()
        if label == "tampered" or (task in done and label in _DOUBTFUL)
    }
    unapproved = {
        task: checks
        for task, checks in plan.checks.unapproved().items()
        if plan.task(task).status != "skipped"
    }
    return Health(tuple(plan.notices), unapproved, doubtful, leftovers)


def _find_leftovers(workspace: Workspace, key: str) -> tuple[str, ...]:
    """Return unfinished temporary files; opening the plan already removes those of dead writers."""
    names = Disk().list_directory(workspace.plan_directory(key))
    return tuple(name for name in names if name.endswith(TEMPORARY))
