"""Read what people write in place of a task's name: nothing, or the name and the result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.documents.markdown.elements import shown_status
from outlast.documents.markdown.merge.conflicts import normalize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.documents.markdown.document import Document, Item
    from outlast.model.model import Task
    from outlast.model.state import PlanState

_ARROW: Final = re.compile(r"\s+(?:→|->)\s+")


def read_names(document: Document, base: PlanState, current: PlanState) -> Document:
    """Return a file in which each line has the name of its task, and nothing else as its name.

    A line with a number and no name has the name of that task. `[x] Ask Kim → she agrees` is the
    task `Ask Kim` with a result, as `outlast show` writes it, unless that is what its name was.
    """
    if all(
        item.name and item.name.isascii() and not _ARROW.search(item.name)
        for item in document.items()
    ):
        return document
    tasks = {**current.tasks, **base.tasks}
    names = {task.name: task for task in tasks.values()}
    document = _compose_names(document, names)
    sections = (
        replace(section, items=tuple(_read_item(item, tasks, names) for item in section.items))
        for section in document.sections
    )
    return replace(document, sections=tuple(sections))


def _read_item(item: Item, tasks: Mapping[int, Task], names: Mapping[str, Task]) -> Item:
    task = tasks.get(item.id or 0) or names.get(item.name)
    if not item.name:
        return replace(item, name=task.name if task else str(item.id))
    if shown_status(item) != "completed" or (task and task.name == item.name):
        return item
    arrows = [*_ARROW.finditer(item.name)]
    known = (arrow for arrow in arrows if item.name[: arrow.start()] in names)
    arrow = next(known, arrows[0] if arrows and task and not _ARROW.search(task.name) else None)
    if arrow is None:
        return item
    return replace(item, name=item.name[: arrow.start()], result=item.name[arrow.end() :])


def _compose_names(document: Document, names: Mapping[str, Task]) -> Document:
    """Return a file with the names of tasks where a line has them in another Unicode form."""
    composed = {normalize(name): name for name in names if not name.isascii()}

    def compose(item: Item) -> Item:
        known = item.name in names or item.name.isascii()
        return item if known else replace(item, name=composed.get(normalize(item.name), item.name))

    sections = (
        replace(section, items=tuple(map(compose, section.items))) for section in document.sections
    )
    return replace(document, sections=tuple(sections))
