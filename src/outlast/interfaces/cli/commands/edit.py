"""`edit`: changes a task, or the plan itself, in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.domain import commands as c
from outlast.domain.enact import receipt
from outlast.domain.loop_commands import SetBudget
from outlast.domain.model import PERSON
from outlast.errors import InvalidArgument, WrongUsage
from outlast.interfaces.cli.commands.work import own_task
from outlast.interfaces.cli.parser.phase_option import begun_shape, begun_words, meant_phase
from outlast.interfaces.cli.parser.task_options import checks_of, is_none, limits_of, patterns_of
from outlast.interfaces.cli.parser.task_refs import reference, references
from outlast.interfaces.cli.render.advice import unallowed
from outlast.interfaces.cli.render.json import plan_shape, task_shape
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import following, next_shape, standing, task_words
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json

_OF_THE_PLAN: Final = ("goal", "title", "order")
_SIMPLE: Final = ("name", "run")
_READ: Final[dict[str, Callable[[tuple[str, ...]], tuple[object, ...]]]] = {
    "checks": checks_of,
    "files": patterns_of,
    "protect": patterns_of,
}


def edit(
    plan: Plan,
    call: Call,
    *,
    task: str | None = None,
    reason: str = "",
    **fields: Any,  # noqa: ANN401 - what was given, by the names of the options
) -> Answer:
    """Change a task, or, where only what a plan has is given, the plan."""
    wide = [name for name in fields if name in _OF_THE_PLAN]
    if not fields:
        raise WrongUsage("nothing_to_edit")
    if not wide:
        return _edit_task(plan, call, own_task(plan) if task is None else task, reason, fields)
    if task is not None or len(wide) < len(fields):
        raise WrongUsage("edit_apart", options=[f"--{name}" for name in wide])
    plan.commit((c.EditPlan(**fields),), receipt, reason=reason)
    shape = plan.read(plan_shape)
    said = {name: visible(shape[name]) for name in ("key", "title")}
    return Answer(lambda: {"plan": shape}, lambda: call.say("say_plan_edited", **said))


def _edit_task(
    plan: Plan, call: Call, given: str | int, reason: str, fields: dict[str, Any]
) -> Answer:
    task_id = plan.task(reference(str(given))).id
    phase, begun = meant_phase(plan, fields.get("phase"))
    if phase is not None:
        fields = {**fields, "phase": phase}
    first = [c.AddPhase(begun.title)] if begun else []
    commands = _commands(plan, task_id, fields)
    edited = plan.revise(task_id, (*first, *commands), reason=reason)
    now = standing(plan)

    def words() -> str:
        head = [*begun_words(call, begun), call.say("say_edited", task=task_words(edited))]
        return "\n".join([*head, *unallowed(plan, call, [edited]), following(now, call)])

    def shape() -> Json:
        new = begun_shape(begun)
        return {"task": task_shape(edited), "new_phase": new, **next_shape(now)}

    return Answer(shape, words)


def _commands(plan: Plan, task: int, fields: dict[str, Any]) -> Iterator[c.Command]:
    """Yield what is to be done, all or nothing, in the order in which it can be done."""
    if "reopen" in fields:
        yield c.Reopen(task)
    changed = dict(_changed(fields))
    if changed:
        yield c.EditTask(task, **changed, amend=plan.actor == PERSON)
    place = {name: fields[name] for name in ("after", "phase", "first") if name in fields}
    if place:
        yield _move(task, **place)
    if "budget" in fields:
        yield SetBudget(limits_of(fields["budget"], plan.budget(task)), task)
    if "progress" in fields:
        yield c.SetProgress(task, *_progress(fields["progress"]), token=fields.get("token"))


def _changed(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in _SIMPLE:
        if name in fields:
            yield name, fields[name]
    for name, read in _READ.items():
        if name in fields:
            yield name, read(fields[name])
    if "needs" in fields:
        needs = fields["needs"]
        yield "needs", () if is_none(needs) else tuple(references(needs))
    if "no_checks" in fields:
        if "checks" in fields:
            raise WrongUsage("options_apart", options=["--check", "--no-checks"])
        yield "checks", ()


def _move(
    task: int,
    *,
    after: str | None = None,
    phase: str | None = None,
    first: bool = False,
) -> c.MoveTask:
    if first and after is not None:
        raise WrongUsage("options_apart", options=["--first", "--after"])
    behind = None if after is None else reference(after)
    return c.MoveTask(task, phase, behind, first)


def _progress(given: str) -> tuple[int, int]:
    """Return the numbers of `3/10`."""
    parts = [part.strip() for part in given.split("/")]
    if len(parts) != len(("done", "all")) or not all(p.isascii() and p.isdigit() for p in parts):
        raise InvalidArgument("bad_progress", argument="--progress")
    return int(parts[0]), int(parts[1])
