"""`add`, `edit`, `skip` and `rm`: change the list of tasks and their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.console.call import Answer, Call, Json
from outlast.console.plan_context import current_task_id, is_task_number, task_reference
from outlast.console.render.json import plan_json, task_json
from outlast.console.render.overview import approval_advice
from outlast.console.render.summary import PlanSummary, answer_with_next, numbered_name
from outlast.errors import InvalidArgument, WrongUsage
from outlast.language import visible
from outlast.model import commands as c
from outlast.model.budget import NO_LIMIT, Budget, update_budget
from outlast.model.commands import NewTask, SetBudget
from outlast.model.limits import check_name, default_title, make_slug
from outlast.model.model import PERSON, Check, Phase, parse_rule
from outlast.plan.core import edit_task
from outlast.redact.text_fields import redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from outlast.plan.plan import Plan

_NONE: Final = "none"


def _parse_checks(rules: Iterable[str]) -> tuple[Check, ...]:
    """Return checks spelled as in `task_plan.md`."""
    return tuple(map(_parse_check, rules))


def _parse_check(rule: str) -> Check:

    parsed = parse_rule(rule.strip())
    if not parsed.rule.strip():
        raise InvalidArgument("name_blank", argument="--check")
    return Check(parsed.kind, parsed.rule.strip())


def _parse_patterns(lists: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns of lists such as `src/**, tests/**`; `none` stands for no pattern."""
    patterns = [pattern.strip() for listed in lists for pattern in listed.split(",")]
    return () if patterns == [_NONE] else tuple(filter(None, patterns))


_PLAN_FIELDS: Final = ("goal", "title", "order")
_SIMPLE: Final = ("name", "description", "run")
_PARSERS: Final[dict[str, Callable[[tuple[str, ...]], tuple[object, ...]]]] = {
    "checks": _parse_checks,
    "files": _parse_patterns,
    "protect": _parse_patterns,
}


def add(  # noqa: PLR0913 - one keyword for each thing the command takes
    plan: Plan,
    call: Call,
    *,
    names: tuple[str, ...],
    needs: tuple[str, ...] = (),
    insert_after: str | None = None,
    phase: str | None = None,
    description: str = "",
    checks: tuple[str, ...] = (),
    run: str = "",
    files: tuple[str, ...] = (),
    protect: tuple[str, ...] = (),
    budget: str | None = None,
) -> Answer:
    """Add tasks, all or none; what else is given counts for each of them."""
    numbers = [task_reference(name) for name in names if needs and is_task_number(name)]
    if numbers:
        needed = ",".join([*_task_references(needs), *numbers])
        raise WrongUsage("name_is_number", name=numbers[0], needs=visible(needed))
    phase_id, new_phase = _find_phase(plan, phase)
    template = NewTask(
        "",
        phase=phase_id,
        needs=tuple(_task_references(needs)),
        description=description,
        checks=_parse_checks(checks),
        run=run,
        files=_parse_patterns(files),
        protect=_parse_patterns(protect),
        budget=NO_LIMIT if budget is None else parse_limits(budget),
    )
    new_tasks = [replace(template, name=name) for name in names]
    tasks = plan.add_all(
        new_tasks,
        insert_after=None if insert_after is None else task_reference(insert_after),
        new_phase=new_phase.title if new_phase else None,
    )

    def as_json() -> Json:
        added = plan.core.read(
            lambda state: [task_json(task, state.blocked_by(task)) for task in tasks]
        )
        return {"tasks": added, "new_phase": _new_phase_json(new_phase)}

    def head(_: PlanSummary) -> str:
        lines = _new_phase_lines(call, new_phase)
        lines += [call.text("say_added", task=numbered_name(task)) for task in tasks]
        return "\n".join([*lines, *approval_advice(plan, call, tasks)])

    return answer_with_next(plan, call, as_json, head)


def skip(plan: Plan, call: Call, *, task: str, reason: tuple[str, ...] = ()) -> Answer:
    """Skip a task."""
    skipped = plan.skip(task_reference(task), " ".join(reason))

    def head(summary: PlanSummary) -> str:
        return call.text("say_skipped", **summary.facts, task=numbered_name(skipped))

    return answer_with_next(plan, call, lambda: {"task": task_json(skipped)}, head)


def remove(plan: Plan, call: Call, *, task: str) -> Answer:
    """Remove a pending task."""
    removed = plan.task(task_reference(task))
    plan.remove(removed.id)
    return answer_with_next(
        plan,
        call,
        lambda: {"task": task_json(removed)},
        lambda _: call.text("say_removed", task=numbered_name(removed)),
    )


def edit(
    plan: Plan,
    call: Call,
    *,
    task: str | None = None,
    reason: str = "",
    **fields: Any,  # noqa: ANN401 - what was given, by the names of the options
) -> Answer:
    """Edit a task; or the plan, if only fields of the plan are given."""
    plan_fields = [name for name in fields if name in _PLAN_FIELDS]
    if not fields:
        raise WrongUsage("nothing_to_edit")
    if not plan_fields:
        return _edit_task(
            plan, call, current_task_id(plan) if task is None else task, reason, fields
        )
    if task is not None or len(plan_fields) < len(fields):
        raise WrongUsage("edit_apart", options=[f"--{name}" for name in plan_fields])
    return _edit_plan(plan, call, reason, fields)


def _edit_plan(plan: Plan, call: Call, reason: str, fields: dict[str, Any]) -> Answer:
    """Edit the plan; show the goal that it had."""
    before = plan.goal
    plan.edit(**fields, reason=reason)
    content = plan_json(plan)

    def as_text() -> str:
        facts = {name: visible(content[name]) for name in ("key", "title")}
        lines = [call.text("say_plan_edited", **facts)]
        if content["goal"] != before:
            lines.append(call.text("say_old_goal", goal=visible(default_title(before))))
        return "\n".join(lines)

    return Answer(lambda: {"plan": content}, as_text)


def _edit_task(
    plan: Plan, call: Call, given: str | int, reason: str, fields: dict[str, Any]
) -> Answer:
    task_id = plan.task(task_reference(str(given))).id
    phase, new_phase = _find_phase(plan, fields.get("phase"))
    if phase is not None:
        fields = {**fields, "phase": phase}
    first = [c.AddPhase(new_phase.title)] if new_phase else []
    commands = _commands(plan, call, task_id, fields)
    edited = edit_task(plan.core, task_id, (*first, *commands), reason=reason)

    def as_json() -> Json:
        return {"task": task_json(edited), "new_phase": _new_phase_json(new_phase)}

    def head(_: PlanSummary) -> str:
        lines = _new_phase_lines(call, new_phase)
        lines.append(call.text("say_edited", task=numbered_name(edited)))
        return "\n".join([*lines, *approval_advice(plan, call, [edited])])

    return answer_with_next(plan, call, as_json, head)


def _commands(plan: Plan, call: Call, task: int, fields: dict[str, Any]) -> Iterator[c.Command]:
    """Yield the commands in an order in which they can be decided. They are committed together."""
    if "reopen" in fields:
        yield c.Reopen(task)
    changes = dict(_field_changes(fields))
    if changes:
        yield c.EditTask(task, **changes, amend=plan.actor == PERSON)
    place = {name: fields[name] for name in ("insert_after", "phase", "first") if name in fields}
    if place:
        yield _move_command(task, **place)
    if "budget" in fields:
        limits = plan.budget.limits(task)
        wanted = parse_limits(fields["budget"], limits)
        call.refuse_higher_budget(limits, wanted)
        yield SetBudget(wanted, task)
    if "progress" in fields:
        yield c.SetProgress(task, *_parse_progress(fields["progress"]), token=fields.get("token"))


def _field_changes(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in _SIMPLE:
        if name in fields:
            yield name, fields[name]
    for name, read in _PARSERS.items():
        if name in fields:
            yield name, read(fields[name])
    if "needs" in fields:
        needs = fields["needs"]
        yield "needs", () if _is_none(needs) else tuple(_task_references(needs))
    if "no_checks" in fields:
        if "checks" in fields:
            raise WrongUsage("options_apart", options=["--check", "--no-checks"])
        yield "checks", ()


def _move_command(
    task: int, *, insert_after: str | None = None, phase: str | None = None, first: bool = False
) -> c.MoveTask:
    if first and insert_after is not None:
        raise WrongUsage("options_apart", options=["--first", "--insert-after"])
    place = None if insert_after is None else task_reference(insert_after)
    return c.MoveTask(task, phase, place, first)


def _parse_progress(given: str) -> tuple[int, int]:
    """Return the two numbers of `3/10`."""
    parts = [part.strip() for part in given.split("/")]
    if len(parts) != len(("done", "all")) or not all(p.isascii() and p.isdigit() for p in parts):
        raise InvalidArgument("bad_progress", argument="--progress")
    return int(parts[0]), int(parts[1])


def _find_phase(plan: Plan, given: str | None) -> tuple[str | None, Phase | None]:
    """Return the id of the phase with this id or title, and the phase itself if it is new."""
    if given is None:
        return None, None
    title = redact_text(check_name(given, "phase").strip())  # its id is made from it
    known = {known_phase.id: known_phase for known_phase in plan.phases}
    if title in known:
        return title, None
    for known_phase in known.values():
        if known_phase.title.casefold() == title.casefold():
            return known_phase.id, None
    new = Phase(make_slug(title, known), title)
    return new.id, new


def _new_phase_lines(call: Call, phase: Phase | None) -> list[str]:
    """Return the line that reports a new phase, if there is one."""
    return [call.text("say_phase_created", phase=visible(phase.title))] if phase else []


def _new_phase_json(phase: Phase | None) -> Json | None:
    """Return a new phase for `--json`."""
    return {"id": phase.id, "title": phase.title} if phase else None


def _task_references(lists: tuple[str, ...]) -> list[str]:
    """Return the tasks of lists such as `1,2`."""
    return [task_reference(word) for words in lists for word in words.replace(",", " ").split()]


def _is_none(words: tuple[str, ...]) -> bool:
    """Return whether a list is `none`."""
    return [word.strip().lower() for word in words] == [_NONE]


def parse_limits(limits: str, current: Budget = NO_LIMIT) -> Budget:
    """Return `current` with the named limits replaced; `none` removes all limits."""
    if _is_none((limits,)):
        return NO_LIMIT
    from outlast.config.amounts import parse_budget

    return update_budget(current, parse_budget(limits))
