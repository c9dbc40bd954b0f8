"""One line of a file as the heading of a phase or as a task, if it can be read as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from outlast.domain.limits import check_name
from outlast.errors import InvalidArgument
from outlast.formats.markdown.escape import unescape
from outlast.formats.markdown.marks import ID, PHASE, STATUSES, TASK

if TYPE_CHECKING:
    from outlast.domain.model import TaskStatus


class Heading(NamedTuple):
    """A phase begins."""

    title: str


class Ticked(NamedTuple):
    """A task: what it is called, its box, its icon and its id."""

    name: str
    box: bool
    icon: TaskStatus | None
    id: int | None


def read_element(line: str) -> Heading | Ticked | None:
    """Return what a line begins; None for any other line, or one without a name to use."""
    start = line.lstrip()[:2]
    if start == "##":
        found = PHASE.match(line)
        title = read_name(found[2] or "") if found else None
        return None if title is None else Heading(title)
    found = TASK.match(line) if start[:1] in "-*+0123456789" else None
    return _task(found[1], found[2], found[3]) if found else None


def _task(box: str, icon: str | None, rest: str) -> Ticked | None:
    mark = ID.search(rest)
    name = read_name(rest[: mark.start()] if mark else rest)
    if name is None:
        return None
    status = STATUSES[icon] if icon else None
    return Ticked(name, box != " ", status, int(mark[1]) if mark else None)


def read_name(written: str) -> str | None:
    """Return what a phase or a task is called; None for what none can be called."""
    name = unescape(written.strip())
    return name if is_name(name) else None


def is_name(text: str) -> bool:
    """Tell whether a plan takes a text for a name, a rule or a pattern."""
    try:
        check_name(text, "name")
    except InvalidArgument:
        return False
    return True
