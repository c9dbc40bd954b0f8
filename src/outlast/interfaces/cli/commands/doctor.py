"""`doctor`: looks at what a plan needs, says what is wrong, and mends what can be mended."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING, Final

from msgspec import Struct

import outlast
from outlast.errors import PlanNotFound
from outlast.interfaces.cli.plan_context import here
from outlast.interfaces.cli.render.advice import advised
from outlast.interfaces.cli.render.output import OK, TROUBLE, Answer
from outlast.texts import explain, status_words, visible
from outlast.wiring.health import look_at_machine, look_at_plan
from outlast.wiring.plan_list import list_plans, mend_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.interfaces.cli.call import Call
    from outlast.ports.store import Notice
    from outlast.wiring.health import Health, Machine
    from outlast.wiring.plan_list import PlanSummary

# What was noticed and has been seen to already; everything else needs somebody.
_SETTLED: Final = frozenset(
    (
        "tail_cut",
        "leftover_removed",
        "journal_mended",
        "database_mended",
        "view_put_aside",
        "view_damaged",
        "edit_taken",
    )
)


class Finding(Struct, frozen=True):
    """One thing that was looked at, or that was done."""

    what: str
    ok: bool
    says: str


def doctor(call: Call, *, where: str | None = None, mend: bool = False) -> Answer:
    """Look at this machine and at every plan that is here, or there; mend plans if wanted."""
    start = here() if where is None else where
    found = list(_machine(call, start))
    for key in _damaged(call, start) if mend else ():
        found += _noticed(call, key, mend_plan(start, key))
    plans = list_plans(start, thorough=True)
    if where is not None and not plans:
        raise PlanNotFound("no_plan_there", where=where, candidates=[])
    for plan in plans:
        found += _plan(call, start, plan)
    found = list(dict.fromkeys(found))
    healthy = all(one.ok for one in found)

    def words() -> str:
        lines = [f"{'✓' if one.ok else '✗'} {visible(f'{one.what}: {one.says}')}" for one in found]
        return "\n".join([*lines, call.say("say_healthy" if healthy else "say_trouble")])

    return Answer(lambda: {"findings": found}, words, OK if healthy else TROUBLE)


def _machine(call: Call, start: str) -> Iterator[Finding]:
    machine = look_at_machine(start)
    yield Finding("outlast", ok=True, says=outlast.__version__)
    yield Finding("python", ok=True, says=f"{platform.python_version()} {sys.executable}")
    yield Finding("sqlite", ok=True, says=machine.sqlite)
    kind = machine.file_system or call.say("doctor_unknown")
    place = call.say("doctor_database" if machine.is_database else "doctor_workspace")
    yield Finding(place, ok=True, says=f"{machine.where} ({kind})")
    yield _state(call, machine)


def _state(call: Call, machine: Machine) -> Finding:
    what, where = call.say("doctor_state"), machine.state_home
    if machine.is_state_open:
        return Finding(what, ok=False, says=call.say("state_home_open", where=where))
    if machine.is_state_kept:
        return Finding(what, ok=True, says=where)
    return Finding(what, ok=False, says=" ".join([where, call.say("doctor_not_writable")]))


def _damaged(call: Call, start: str) -> list[str]:
    """Return the plans to be mended: the one that was named, else all that are not whole."""
    if call.plan:
        return [call.plan]
    return [plan.key for plan in list_plans(start, thorough=True) if plan.problem]


def _noticed(call: Call, key: str, notices: Iterable[Notice]) -> Iterator[Finding]:
    for text, details in notices:
        yield Finding(
            call.say("doctor_plan", key=key), ok=text in _SETTLED, says=call.say(text, **details)
        )


def _plan(call: Call, start: str, plan: PlanSummary) -> Iterator[Finding]:
    yield from _noticed(call, plan.key, plan.notices)
    what = call.say("doctor_plan", key=plan.key)
    if plan.problem is not None:
        yield Finding(what, ok=False, says=explain(plan.problem, call.language))
        return
    status = status_words(plan.status, call.language)
    yield Finding(what, ok=True, says=f"{status} {plan.done}/{plan.total}")
    health = look_at_plan(start, plan.key)
    yield from _noticed(call, plan.key, health.notices)
    for says in _troubles(call, health):
        yield Finding(what, ok=False, says=says)


def _troubles(call: Call, health: Health) -> Iterator[str]:
    if health.problem is not None:
        yield explain(health.problem, call.language)
    yield from advised(call, dict.fromkeys(health.unapproved, "not approved"))
    yield from advised(call, health.doubted)
    for name in health.left_over:
        yield call.say("doctor_left_over", name=name)
