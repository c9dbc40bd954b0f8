"""Contracts: what a model answers when it plans or evaluates (R1.05)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar

from msgspec import Meta, Struct

from outlast.documents.contracts.problems import Problem, child_path
from outlast.errors import InvalidArgument
from outlast.model.check_rules import parse_rule
from outlast.model.commands import NewTask
from outlast.model.decide.tasks import check_new_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")
MOST_TASKS: Final = 100
Words = Annotated[str, Meta(min_length=1, max_length=1000)]


class PlannedTask(Struct, frozen=True):
    """A task as a model plans it; `needs` are positions in the list, or names.

    `reason` is why a task is new or changed.
    """

    name: Words
    description: str = ""
    needs: tuple[int | str, ...] = ()
    constraints: str = ""
    expected: str = ""
    files: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    reason: str = ""


class TaskList(Struct, frozen=True):
    """The tasks of a plan."""

    tasks: Annotated[tuple[PlannedTask, ...], Meta(min_length=1, max_length=MOST_TASKS)]


class Evaluation(Struct, frozen=True):
    """What follows from a report."""

    decision: Literal["next", "retry", "replan", "abort"]
    reason: Words
    advice: str | None = None


def new_tasks(plan: TaskList, known: Mapping[str, int]) -> tuple[NewTask, ...]:
    """Return the tasks to add; `known` are the ids of tasks that names may refer to."""
    places = _places(plan)
    return tuple(_new_task(task, places, known) for task in plan.tasks)


def _new_task(task: PlannedTask, places: Mapping[str, int], known: Mapping[str, int]) -> NewTask:
    names = (need.strip() for need in task.needs if isinstance(need, str))
    return NewTask(
        task.name.strip(),
        needs=tuple(known[name] for name in names if name not in places and name in known),
        peers=tuple(_positions(task, places)),
        reasoning=task.reason,
        description=task.description,
        constraints=task.constraints,
        expected=task.expected,
        files=task.files,
        checks=tuple(map(parse_rule, task.checks)),
    )


def read_leniently(value: object) -> TaskList:
    """Return as much as can be read of a list of tasks that does not fit the contract.

    Each task keeps its position; the names of those without one are blank.
    """
    tasks = value.get("tasks") if isinstance(value, dict) else None
    return TaskList(tuple(map(_read_task, tasks)) if isinstance(tasks, list | tuple) else ())


def _read_task(value: object) -> PlannedTask:
    fields = value if isinstance(value, dict) else {}
    texts = ("name", "description", "constraints", "expected", "reason")
    return PlannedTask(
        **{name: said if isinstance(said := fields.get(name), str) else "" for name in texts},
        needs=_read_items(fields.get("needs"), int, str),
        files=_read_items(fields.get("files"), str),
        checks=_read_items(fields.get("checks"), str),
    )


def _read_items(value: object, *types: type[T]) -> tuple[T, ...]:
    items = value if isinstance(value, list | tuple) else ()
    return tuple(item for item in items if type(item) in types)


def find_problems(plan: TaskList, known: Mapping[str, int]) -> Iterator[Problem]:
    """Yield what no plan can have: a name twice, needs that lead nowhere or in a circle."""
    places = _places(plan)
    for index, task in enumerate(plan.tasks):
        path = f"tasks[{index}]"
        name = task.name.strip()
        if name and places[name] != index + 1:
            yield Problem("plan_name_twice", child_path(path, "name"), {"name": task.name})
        for position, need in enumerate(task.needs):
            where = child_path(child_path(path, "needs"), position)
            if not _is_known(need, plan, places, known):
                yield Problem("plan_need_unknown", where, {"need": need, "count": len(plan.tasks)})
        if name:
            yield from _find_refusal(_new_task(task, places, known), path)
    yield from _find_cycle(plan, places)


def _find_refusal(task: NewTask, path: str) -> Iterator[Problem]:
    """Yield why the plan would refuse a task, such as for a check that cannot run."""
    try:
        check_new_tasks((task,), f"{path}.")
    except InvalidArgument as error:
        yield Problem(error.text, "", error.details)


def _find_cycle(plan: TaskList, places: Mapping[str, int]) -> Iterator[Problem]:
    """Yield the problem of the tasks that wait for each other, if there are any."""
    waits = {
        place: {peer for peer in _positions(task, places) if 0 < peer <= len(plan.tasks)}
        for place, task in enumerate(plan.tasks, 1)
    }
    while free := {place for place, needs in waits.items() if not needs & waits.keys()}:
        for place in free:
            del waits[place]
    if waits:
        yield Problem("plan_needs_circle", "tasks", {"tasks": sorted(waits)})


def _places(plan: TaskList) -> dict[str, int]:
    """Return the position of each name, that of the first task with it."""
    places: dict[str, int] = {}
    for place, task in enumerate(plan.tasks, 1):
        places.setdefault(task.name.strip(), place)
    return places


def _positions(task: PlannedTask, places: Mapping[str, int]) -> Iterator[int]:
    for need in task.needs:
        if isinstance(need, int):
            yield need
        elif need.strip() in places:
            yield places[need.strip()]


def _is_known(
    need: int | str, plan: TaskList, places: Mapping[str, int], known: Mapping[str, int]
) -> bool:
    if isinstance(need, int):
        return 0 < need <= len(plan.tasks)
    return need.strip() in places or need.strip() in known
