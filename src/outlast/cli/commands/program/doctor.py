"""`doctor`: diagnose this machine and its plans, and repair damaged plans."""

from __future__ import annotations

import platform
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

import outlast
from outlast.cli.health import inspect_machine, inspect_plan
from outlast.console.call import PlanContext
from outlast.console.plan_context import plan_query
from outlast.console.render.advice import advice_lines
from outlast.console.render.errors import error_text
from outlast.console.render.output import FAILURE, OK, Answer
from outlast.context.tokens import estimate_tokens
from outlast.errors import DamagedJournal, OutlastError, PlanNotFound
from outlast.hosts.announce import injected_text
from outlast.hosts.hook.answer import is_off
from outlast.hosts.settings.health import host_rows, inspect_hosts
from outlast.hosts.settings.setup import this_installation, user_places
from outlast.language import status_words, visible
from outlast.model.plan_choice import PlanQuery
from outlast.plan.home.find import is_url, require_home
from outlast.plan.plan_list import find_damaged_keys, list_plans, renew_identity, repair_plan
from outlast.plan.plans import Plans
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.cli.health import Health, Machine
    from outlast.console.call import Call
    from outlast.console.render.output import Json
    from outlast.plan.plan_list import ListedPlan
    from outlast.store.port import Notice

    Repair = tuple[list[Notice], OutlastError | None]  # what was done, or why it could not be

# Notices about what is settled already; every other notice needs a person.
_SETTLED: Final = frozenset(
    (
        "tail_cut",
        "leftover_removed",
        "journal_repaired",
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
    call: Call, *, where: str | None = None, repair: bool = False, new_identity: str | None = None
) -> Answer:
    """Diagnose this machine and the plans here or in `where`; `repair` repairs them first.

    A plan that cannot be repaired does not keep the others from being repaired and shown.
    `new_identity` only gives a copied plan an identity of its own.
    """
    start = current_directory() if where is None else where
    if new_identity is not None:
        return _renew_identity(call, start, new_identity)
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


def _renew_identity(call: Call, start: str, beginning: str) -> Answer:
    key = Plans(require_home(start)).choose(PlanQuery(key=beginning))
    results = [*_diagnose_notices(call, key, [renew_identity(start, key)])]
    return Answer(lambda: {"findings": results}, lambda: "\n".join(map(_line, results)), OK)


def _diagnose_machine(call: Call, start: str) -> Iterator[Diagnosis]:
    machine = inspect_machine(start)
    yield Diagnosis("outlast", ok=True, message=outlast.__version__)
    yield Diagnosis("python", ok=True, message=f"{platform.python_version()} {sys.executable}")
    yield Diagnosis("sqlite", ok=True, message=machine.sqlite)
    kind = machine.file_system or call.text("doctor_unknown")
    place = call.text("doctor_database" if machine.is_database else "doctor_workspace")
    storage = f"{machine.where} ({kind})"
    if machine.problem:
        refusal = call.text("doctor_cannot_store", where=storage, problem=machine.problem)
        yield Diagnosis(place, ok=False, message=refusal)
    else:
        yield Diagnosis(place, ok=True, message=storage)
    for path in machine.nameless:
        yield Diagnosis(place, ok=False, message=call.text("doctor_nameless", path=path))
    yield _diagnose_state(call, machine)


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
