"""`check`: run the checks of tasks, approve them, confirm them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.console.call import OK, REFUSED, Answer, Call, Json
from outlast.console.plan_context import task_reference
from outlast.console.render.json import proof_json
from outlast.console.render.outline import RESULT_MARKS
from outlast.console.render.output import tail_lines
from outlast.console.render.overview import ADVICE_KEYS, advice_line
from outlast.console.render.summary import numbered_name, summarize_plan
from outlast.errors import WrongUsage
from outlast.language import check_result, visible
from outlast.model.model import LABEL_TEXTS, Check, Evidence, Task, write_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from outlast.plan.plan import Plan
    from outlast.proof.labels import ProofStatus

_RED: Final = frozenset(("fails now", "unproved, fails now", "not approved", "tampered", "forged"))


def check(  # noqa: PLR0913 - one keyword for each thing the command takes
    plan: Plan,
    call: Call,
    *,
    task: str | None = None,
    every: bool = False,
    approve: bool = False,
    confirm: bool = False,
) -> Answer:
    """Run the checks of a task, or of all tasks; the exit code is 1 if one does not pass."""
    if task is not None and every:
        raise WrongUsage("options_apart", options=["N", "--all"])
    task_id = None if task is None else plan.task(task_reference(task)).id
    if confirm:
        _confirm(plan, task_id)
    approved, accepted = _approve(plan, task_id) if approve else ({}, {})
    statuses = plan.checks.run(task_id)
    waiting = _select(_list_unapproved(plan), task_id)
    is_red = any(map(_is_red, statuses))

    def as_json() -> Json:
        return {
            "plan": summarize_plan(plan).as_json()["plan"],
            "checks": [proof_json(status) for status in statuses],
            "approved": _rules_json(approved),
            "pardoned": [{"task": entry, "what": what} for entry, what in accepted.items()],
            "unapproved": _rules_json(waiting),
        }

    def as_text() -> str:
        tasks = {item.id: item for item in plan.tasks()}
        lines = [*_rule_lines(call, "say_approved", approved, tasks)]
        lines += [
            call.text("say_change_accepted", task=numbered_name(tasks[changed]), what=what)
            for changed, what in accepted.items()
        ]
        for status in statuses:
            lines += _proof_lines(call, status, tasks[status.task])
        lines += _rule_lines(call, "say_unapproved", waiting, tasks)
        return "\n".join(lines) or call.text("say_no_checks")

    return Answer(as_json, as_text, REFUSED if is_red else OK)


def _is_red(status: ProofStatus) -> bool:
    """Return whether the proof speaks against the task being done."""
    evidence = status.proof.evidence if status.proof else ()
    return status.label in _RED or not all(item.ok for item in evidence)


def _confirm(plan: Plan, task: int | None) -> None:
    if task is None:
        raise WrongUsage("argument_required", argument="N", usage="outlast check N --confirm")
    plan.checks.confirm(task)


def _approve(plan: Plan, task: int | None) -> tuple[dict[int, tuple[Check, ...]], dict[int, str]]:
    """Approve the waiting checks; return them and what was accepted along with them."""
    approved = _select(_list_unapproved(plan), task)
    return approved, plan.checks.approve(task).accepted


def _list_unapproved(plan: Plan) -> dict[int, tuple[Check, ...]]:
    """Return what nobody has approved, by task: checks, and the commands that do tasks."""
    unapproved = plan.checks.unapproved()
    for task, command in plan.checks.unapproved_runs().items():
        unapproved[task] = (*unapproved.get(task, ()), Check("command", command))
    return unapproved


def _select(
    checks: Mapping[int, tuple[Check, ...]], task: int | None
) -> dict[int, tuple[Check, ...]]:
    return {task_id: rules for task_id, rules in checks.items() if task in (None, task_id)}


def _rules_json(checks: Mapping[int, tuple[Check, ...]]) -> list[Json]:
    return [{"task": task, "checks": rules} for task, rules in checks.items()]


def _rule_lines(
    call: Call, key: str, checks: Mapping[int, tuple[Check, ...]], tasks: Mapping[int, Task]
) -> Iterator[str]:
    """Yield the checks in full: a person who approves one has to see all of it."""
    if checks:
        yield call.text(key)
    for task, rules in checks.items():
        yield f"  {numbered_name(tasks[task])}"
        yield from (f"    {visible(write_rule(rule))}" for rule in rules)


def _proof_lines(call: Call, status: ProofStatus, task: Task) -> Iterator[str]:
    label = call.text(LABEL_TEXTS[status.label]) if status.label else ""
    is_unknown = status.label == "unknown"
    mark = RESULT_MARKS[None if is_unknown else not _is_red(status)]
    yield f"{mark} {numbered_name(task)}  {label}".rstrip()
    if status.label == "not approved":  # these are listed in full below
        return
    evidence = status.proof.evidence if status.proof else ()
    for item in evidence:
        yield from _evidence_lines(call, item)
    if any(item.says == "unconfirmed" for item in evidence) and not task.finished:
        yield "    " + call.text("advice_confirm", number=task.id)
    if status.label in ADVICE_KEYS and (task.finished or status.label != "fails now"):
        yield "    " + advice_line(call, status.label, [task.id])


def _evidence_lines(call: Call, evidence: Evidence) -> Iterator[str]:
    says = visible(check_result(evidence.says, call.language))
    yield f"    {RESULT_MARKS[evidence.ok]} {visible(write_rule(evidence.check))}  {says}".rstrip()
    if not evidence.ok:
        yield from tail_lines(evidence.tail)
