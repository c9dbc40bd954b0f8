"""Tasks whose lines are missing, and whether so much may be taken in without asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.commands import RemoveTask
from outlast.formats.markdown.merge.context import Spot
from outlast.formats.markdown.merge.identity import has_ids
from outlast.formats.markdown.merge.status import is_reopened, wanted_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from outlast.domain.model import Task
    from outlast.formats.markdown.document import Item
    from outlast.formats.markdown.merge.context import Sides

_UNASKED: Final = 2
_SHOWN: Final = ("name", "status", "checks", "run", "files", "protect")


def missing(sides: Sides, tasks: Mapping[int, int]) -> list[Task]:
    """Return the tasks that the file had, that are still there, and have no line now."""
    there = set(tasks.values())
    current = sides.current.tasks
    return [t for t in sides.base.in_order() if t.id in current and t.id not in there]


def to_go(sides: Sides, found: Iterable[Task]) -> set[int]:
    """Return the missing tasks that are to go; tell about those that stay.

    One whose line stands in a code block or a comment stays, one that others have changed since,
    and all when nobody knows what the person had before them.
    """
    going: set[int] = set()
    names = frozenset() if has_ids(sides) else sides.document.hidden_names
    for task in found:
        if task.id in sides.document.hidden or task.name in names:
            sides.report("plan_md_hidden", 0, task_id=task.id)
        elif not sides.is_base_known:
            sides.report("plan_md_missing", 0, task_id=task.id)
        elif _shown(sides.current.tasks[task.id]) != _shown(task):
            sides.report("plan_md_missing_changed", 0, task_id=task.id)
        else:
            going.add(task.id)
    return going


def remove(sides: Sides, going: Iterable[int]) -> None:
    """Wish for tasks to go."""
    for task in going:
        sides.wish("gone", Spot(0, f"task:{task}"), RemoveTask(task, amend=True))


def must_ask(sides: Sides, tasks: Mapping[int, int], going: Iterable[int]) -> bool:
    """Tell whether too many tasks would go or be opened again that no id vouches for.

    A file vouches for what is missing if it has ids and its last line: then it is whole. A blank
    one is more likely an accident.
    """
    lost = [] if has_ids(sides) and sides.document.revision is not None else sorted(going)
    opened = [
        tasks[item.line]
        for item in sides.document.items()
        if item.id != tasks.get(item.line) and _is_opened(sides, tasks.get(item.line), item)
    ]
    is_blank = not any(map(str.strip, sides.document.lines))
    if len(lost) + len(opened) <= (0 if is_blank else _UNASKED):
        return False
    sides.reports.clear()
    sides.report("plan_md_asked", 0, removed=lost, reopened=opened)
    return True


def _is_opened(sides: Sides, task: int | None, item: Item) -> bool:
    if task is None or task not in sides.current.tasks:
        return False
    was = sides.base_task(task).status
    return is_reopened(was, wanted_status(item, was))


def _shown(task: Task) -> list[object]:
    """Return what the file shows of a task, apart from its place and what it depends on."""
    return [getattr(task, field) for field in _SHOWN]
