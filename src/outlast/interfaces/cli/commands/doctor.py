"""`doctor`: diagnose this machine and its plans, and repair damaged plans."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

import outlast
from outlast.errors import PlanNotFound
from outlast.interfaces.cli.call import PlanContext
from outlast.interfaces.cli.plan_context import named_key
from outlast.interfaces.cli.render.advice import advice_lines
from outlast.interfaces.cli.render.errors import error_text
from outlast.interfaces.cli.render.output import FAILURE, OK, Answer
from outlast.system.workspace_root import current_directory
from outlast.texts import status_words, visible
from outlast.wiring.health import inspect_machine, inspect_plan
from outlast.wiring.plan_list import list_plans, repair_plan
from outlast.wiring.workspaces import require_home

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.interfaces.cli.call import Call
    from outlast.ports.store import Notice
    from outlast.wiring.health import Health, Machine
    from outlast.wiring.plan_list import ListedPlan

# Notices about what is settled already; every other notice needs a person.
_SETTLED: Final = frozenset(
    (
        "tail_cut",
        "leftover_removed",
        "journal_repaired",
        "database_repaired",
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


def doctor(call: Call, *, where: str | None = None, repair: bool = False) -> Answer:
    """Diagnose this machine and the plans here or in `where`; `repair` repairs them first."""
    start = current_directory() if where is None else where
    results = list(_diagnose_machine(call, start))
    damaged = _damaged_keys(call, start) if repair else []
    for key in damaged:
        results += _diagnose_notices(call, key, repair_plan(start, key))
    plans = list_plans(start, thorough=True)
    if where is not None and not plans and not damaged:
        raise PlanNotFound("no_plan_there", where=where, candidates=[])
    for plan in plans:
        about = PlanContext(plan.key, is_one_of_several=len(plans) > 1)
        results += _diagnose_plan(replace(call, context=about), start, plan)
    results = list(dict.fromkeys(results))
    is_healthy = all(result.ok for result in results)

    def as_text() -> str:
        lines = [
            f"{'✓' if result.ok else '✗'} {visible(f'{result.what}: {result.message}')}"
            for result in results
        ]
        return "\n".join([*lines, call.text("say_healthy" if is_healthy else "say_trouble")])

    return Answer(lambda: {"findings": results}, as_text, OK if is_healthy else FAILURE)


def _diagnose_machine(call: Call, start: str) -> Iterator[Diagnosis]:
    machine = inspect_machine(start)
    yield Diagnosis("outlast", ok=True, message=outlast.__version__)
    yield Diagnosis("python", ok=True, message=f"{platform.python_version()} {sys.executable}")
    yield Diagnosis("sqlite", ok=True, message=machine.sqlite)
    kind = machine.file_system or call.text("doctor_unknown")
    place = call.text("doctor_database" if machine.is_database else "doctor_workspace")
    yield Diagnosis(place, ok=True, message=f"{machine.where} ({kind})")
    yield _diagnose_state(call, machine)


def _diagnose_state(call: Call, machine: Machine) -> Diagnosis:
    what, where = call.text("doctor_state"), machine.state_home
    if machine.is_state_exposed:
        return Diagnosis(what, ok=False, message=call.text("state_home_open", where=where))
    if machine.is_state_writable:
        return Diagnosis(what, ok=True, message=where)
    return Diagnosis(what, ok=False, message=" ".join([where, call.text("doctor_not_writable")]))


def _damaged_keys(call: Call, start: str) -> list[str]:
    """Return the plans to repair: the one that was named, else all that are damaged."""
    named = named_key(call, require_home(start)) if call.plan else None
    if named is not None:
        return [named]
    return [plan.key for plan in list_plans(start, thorough=True) if plan.problem]


def _diagnose_notices(call: Call, key: str, notices: Iterable[Notice]) -> Iterator[Diagnosis]:
    for text, details in notices:
        yield Diagnosis(
            call.text("doctor_plan", key=key),
            ok=text in _SETTLED,
            message=call.text(text, **details),
        )


def _diagnose_plan(call: Call, start: str, plan: ListedPlan) -> Iterator[Diagnosis]:
    yield from _diagnose_notices(call, plan.key, plan.notices)
    what = call.text("doctor_plan", key=plan.key)
    if plan.problem is not None:
        yield Diagnosis(what, ok=False, message=error_text(plan.problem, call))
        return
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
