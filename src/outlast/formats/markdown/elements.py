"""Read the lines of `task_plan.md`: headings of phases, tasks, and the attributes below a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from outlast.domain.limits import check_name
from outlast.errors import InvalidArgument
from outlast.formats.checks import parse_rule
from outlast.formats.markdown.escape import unescape
from outlast.formats.markdown.syntax import (
    ATTRIBUTE,
    ID,
    KEYWORDS,
    NEEDS_WORDS,
    PHASE,
    STATUSES,
    TASK,
)

if TYPE_CHECKING:
    from outlast.domain.model import TaskStatus
    from outlast.formats.markdown.document import Item

_LISTS: Final = ("needs", "files", "protect")


class Heading(NamedTuple):
    """The heading of a phase."""

    title: str


class TaskLine(NamedTuple):
    """The line of a task: name, box, icon and id."""

    name: str
    box: bool
    icon: TaskStatus | None
    id: int | None


def read_element(line: str) -> Heading | TaskLine | None:
    """Return the heading or task in a line; None for any other line and for an invalid name."""
    start = line.lstrip()[:2]
    if start == "##":
        match = PHASE.match(line)
        title = read_name(match[2] or "") if match else None
        return None if title is None else Heading(title)
    match = TASK.match(line) if start[:1] in "-*+0123456789" else None
    return _task_line(match[1], match[2], match[3]) if match else None


def _task_line(box: str, icon: str | None, rest: str) -> TaskLine | None:
    mark = ID.search(rest)
    name = read_name(rest[: mark.start()] if mark else rest)
    if name is None:
        return None
    status = STATUSES[icon] if icon else None
    return TaskLine(name, box != " ", status, int(mark[1]) if mark else None)


def read_name(text: str) -> str | None:
    """Unescape the name of a phase or a task; return None for an invalid one."""
    name = unescape(text.strip())
    return name if is_name(name) else None


def is_name(text: str) -> bool:
    """Return whether a text is valid as a name, a rule or a pattern."""
    try:
        check_name(text, "name")
    except InvalidArgument:
        return False
    return True


def shown_status(line: Item | TaskLine) -> TaskStatus:
    """Return the status that a line shows where no base is known: the box wins over the icon."""
    if line.box:
        return "completed"
    return "pending" if line.icon in (None, "completed") else line.icon


class Attribute(NamedTuple):
    """A line such as `- check: pytest -q`; `keyword` is one of `KEYWORDS` or an unknown word."""

    is_indented: bool
    keyword: str
    value: str


def read_attribute(line: str) -> Attribute | None:
    """Return the attribute in a line; every word for dependencies becomes `needs`."""
    match = ATTRIBUTE.match(line)
    if match is None:
        return None
    keyword = match[2].lower()
    if keyword in NEEDS_WORDS:
        keyword = NEEDS_WORDS[0]
    return Attribute(bool(match[1]), keyword, match[3].strip())


class Attributes:
    """Collects the attributes below one task; `at` has the line numbers of each keyword."""

    def __init__(self) -> None:
        """Start without any."""
        self.at: dict[str, tuple[int, ...]] = {}
        self._values: dict[str, list[str]] = {keyword: [] for keyword in KEYWORDS}

    def is_second_run(self, attribute: Attribute) -> bool:
        """Return whether a line gives another `run` although a task can have only one."""
        if attribute.keyword != "run" or not self._values["run"]:
            return False
        command = unescape(attribute.value)
        return is_name(command) and self._values["run"] != [command]

    def add(self, attribute: Attribute, line: int) -> bool:
        """Add an attribute; return False for an unknown keyword, no value or an invalid one."""
        keyword = attribute.keyword
        if keyword not in KEYWORDS:
            return False
        values = attribute.value.split(",") if keyword in _LISTS else [attribute.value]
        words = [unescape(value.strip()) for value in values if value.strip()]
        rules = (parse_rule(word).rule if keyword == "check" else word for word in words)
        if not words or not all(map(is_name, rules)):
            return False
        self._values[keyword] = words if keyword == "run" else [*self._values[keyword], *words]
        self.at[keyword] = (*self.at.get(keyword, ()), line)
        return True

    def fields(self) -> dict[str, Any]:
        """Return the attributes as fields of an `Item`."""
        values = self._values
        return {
            **{keyword: tuple(values[keyword]) for keyword in _LISTS},
            "checks": tuple(map(parse_rule, values["check"])),
            "run": "".join(values["run"]),
            "at": self.at,
        }
