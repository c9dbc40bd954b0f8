"""`doctor`: looks at what a plan needs, says what is wrong, and mends what can be mended."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING

from msgspec import Struct

import outlast
from outlast.interfaces.cli.opened import here
from outlast.interfaces.cli.output import OK, TROUBLE, Answer
from outlast.texts import explain, visible
from outlast.wiring.listing import list_plans, mend_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.interfaces.cli.call import Call
    from outlast.ports.store import Notice
    from outlast.wiring.listing import PlanSummary


class Finding(Struct, frozen=True):
    """One thing that was looked at, or that was done."""

    what: str
    ok: bool
    says: str


def doctor(call: Call, *, mend: bool = False) -> Answer:
    """Look at Python, Outlast and every plan of this workspace; mend plans if that is wanted."""
    found = [
        Finding("outlast", ok=True, says=outlast.__version__),
        Finding("python", ok=True, says=f"{platform.python_version()} {sys.executable}"),
    ]
    for key in _damaged(call) if mend else ():
        found += _done(call, key, mend_plan(here(), key))
    for plan in list_plans(here(), thorough=True):
        found += [*_done(call, plan.key, plan.notices), _plan(call, plan)]
    healthy = all(one.ok for one in found)

    def words() -> str:
        lines = [f"{'✓' if one.ok else '✗'} {visible(f'{one.what}: {one.says}')}" for one in found]
        return "\n".join([*lines, call.say("say_healthy" if healthy else "say_trouble")])

    return Answer(lambda: {"findings": found}, words, OK if healthy else TROUBLE)


def _damaged(call: Call) -> list[str]:
    """Return the plans to be mended: the one that was named, else all that are not whole."""
    if call.plan:
        return [call.plan]
    return [plan.key for plan in list_plans(here(), thorough=True) if plan.problem]


def _done(call: Call, key: str, notices: Iterable[Notice]) -> Iterator[Finding]:
    for text, details in notices:
        yield Finding(f"plan {key}", ok=True, says=call.say(text, **details))


def _plan(call: Call, plan: PlanSummary) -> Finding:
    if plan.problem is None:
        says = f"{plan.status} {plan.done}/{plan.total}"
        return Finding(f"plan {plan.key}", ok=True, says=says)
    return Finding(f"plan {plan.key}", ok=False, says=explain(plan.problem, call.language))
