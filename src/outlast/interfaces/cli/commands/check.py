"""`check`: runs what shows whether tasks are done, and lets people allow what may run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.proof.labels import LABEL_TEXTS
from outlast.errors import WrongUsage
from outlast.formats.check_rule import write_rule
from outlast.interfaces.cli.parser.task_refs import reference
from outlast.interfaces.cli.render.advice import ADVICE, advice
from outlast.interfaces.cli.render.json import standing_shape
from outlast.interfaces.cli.render.output import OK, REFUSED, Answer, tail_lines
from outlast.interfaces.cli.render.summary import next_shape, standing, task_words
from outlast.texts import check_result, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from outlast.application.plan.plan import Plan
    from outlast.application.proof.labels import Standing
    from outlast.domain.model import Check, Evidence, Task
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json

_RED: Final = frozenset(("fails now", "unproved, fails now", "not approved", "tampered", "forged"))
_MARKS: Final = {True: "✔", False: "✖"}


def check(  # noqa: PLR0913 - one keyword for each thing the command takes
    plan: Plan,
    call: Call,
    *,
    task: str | None = None,
    every: bool = False,
    approve: bool = False,
    confirm: bool = False,
) -> Answer:
    """Run the checks of a task, or of all; 1 is the exit code if one of them does not pass."""
    if (task is not None) is every and every:
        raise WrongUsage("options_apart", options=["N", "--all"])
    meant = None if task is None else plan.task(reference(task)).id
    if confirm:
        _confirm(plan, meant)
    allowed, pardoned = _allow(plan, meant) if approve else ({}, {})
    found = plan.check(meant)
    waiting = _chosen(plan.unapproved(), meant)
    red = any(map(is_red, found))

    def shape() -> Json:
        return {
            "plan": next_shape(standing(plan))["plan"],
            "checks": [standing_shape(one) for one in found],
            "approved": _rules(allowed),
            "pardoned": [{"task": one, "what": what} for one, what in pardoned.items()],
            "unapproved": _rules(waiting),
        }

    def words() -> str:
        tasks = {one.id: one for one in plan.tasks()}
        lines = [*_listed(call, "say_approved", allowed, tasks)]
        lines += _pardoned(call, pardoned, tasks)
        for one in found:
            lines += _lines(call, one, tasks[one.task])
        lines += _listed(call, "say_unapproved", waiting, tasks)
        return "\n".join(lines) or call.say("say_no_checks")

    return Answer(shape, words, REFUSED if red else OK)


def is_red(found: Standing) -> bool:
    """Tell whether something speaks against a task being done."""
    evidence = found.proof.evidence if found.proof else ()
    return found.label in _RED or not all(one.ok for one in evidence)


def _confirm(plan: Plan, task: int | None) -> None:
    if task is None:
        raise WrongUsage("argument_left_out", argument="N", usage="outlast check N --confirm")
    plan.confirm(task)


def _allow(plan: Plan, task: int | None) -> tuple[dict[int, tuple[Check, ...]], dict[int, str]]:
    """Allow the checks that nobody has allowed yet; return them, and what was taken as it is."""
    found = _chosen(plan.unapproved(), task)
    return found, plan.approve(task).pardoned


def _chosen(
    checks: Mapping[int, tuple[Check, ...]], task: int | None
) -> dict[int, tuple[Check, ...]]:
    return {one: found for one, found in checks.items() if task in (None, one)}


def _rules(checks: Mapping[int, tuple[Check, ...]]) -> list[Json]:
    return [{"task": task, "checks": found} for task, found in checks.items()]


def _listed(
    call: Call, key: str, checks: Mapping[int, tuple[Check, ...]], tasks: Mapping[int, Task]
) -> Iterator[str]:
    """Yield checks whole: whoever allows one has to see all of it."""
    if checks:
        yield call.say(key)
    for task, found in checks.items():
        yield f"  {task_words(tasks[task])}"
        yield from (f"    {visible(write_rule(one))}" for one in found)


def _pardoned(call: Call, pardoned: Mapping[int, str], tasks: Mapping[int, Task]) -> Iterator[str]:
    for task, what in pardoned.items():
        yield call.say("say_pardoned", task=task_words(tasks[task]), what=what)


def _lines(call: Call, found: Standing, task: Task) -> Iterator[str]:
    label = call.say(LABEL_TEXTS[found.label]) if found.label else ""
    yield f"{_MARKS[not is_red(found)]} {task_words(task)}  {label}".rstrip()
    if found.label == "not approved":  # these are listed whole
        return
    evidence = found.proof.evidence if found.proof else ()
    for one in evidence:
        yield from _evidence(call, one)
    if any(one.says == "unconfirmed" for one in evidence) and not task.finished:
        yield "    " + call.say("advice_confirm", number=task.id)
    if found.label in ADVICE and (task.finished or found.label != "fails now"):
        yield "    " + advice(call, found.label, [task.id])


def _evidence(call: Call, one: Evidence) -> Iterator[str]:
    says = visible(check_result(one.says, call.language))
    yield f"    {_MARKS[one.ok]} {visible(write_rule(one.check))}  {says}".rstrip()
    if not one.ok:
        yield from tail_lines(one.tail)
