"""Read the lines of `task_plan.md`: headings of phases, tasks, and the attributes below a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from outlast.domain.limits import check_name, check_text
from outlast.errors import InvalidArgument
from outlast.formats.checks import parse_rule
from outlast.formats.markdown.escape import unescape
from outlast.formats.markdown.syntax import (
    ASSUMED,
    ATTRIBUTE,
    ID,
    KEYWORDS,
    NEEDS_WORDS,
    OUTCOME_KEYWORDS,
    PHASE,
    STATUSES,
    TASK,
)

if TYPE_CHECKING:
    from outlast.domain.model import TaskStatus
    from outlast.formats.markdown.document import Item

_LISTS: Final = ("needs", "files", "protect")
_SINGLE: Final = ("run", "status", "result")
_SIMILAR: Final = 0.75
_RESULT_CHARACTERS: Final = 200


class Heading(NamedTuple):
    """The heading of a phase; `is_marked` if it has an icon or the word `Phase:`."""

    title: str
    is_marked: bool = False


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
        title = read_name(match[3] or "") if match else None
        return None if title is None else Heading(title, bool(match and (match[1] or match[2])))
    match = TASK.match(line) if start[:1] in "-*+0123456789" else None
    return _task_line(match[1], match[2], match[3]) if match else None


def is_task(line: str) -> bool:
    """Return whether a line is that of a task."""
    return isinstance(read_element(line), TaskLine)


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


def is_text(text: str) -> bool:
    """Return whether a text is valid as a result."""
    try:
        check_text(text, "result")
    except InvalidArgument:
        return False
    return True


def shown_status(line: Item | TaskLine) -> TaskStatus:
    """Return the status that a line shows where no base is known: the box wins over the icon."""
    if line.box:
        return "completed"
    return "pending" if line.icon in (None, "completed") else line.icon


class Attribute(NamedTuple):
    """A line such as `- check: pytest -q`; its keyword may be an unknown word."""

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


def is_like_keyword(word: str) -> bool:
    """Return whether a word is a keyword, or a misspelled one."""
    words = (*KEYWORDS, *OUTCOME_KEYWORDS)
    if word in words:
        return True
    from difflib import get_close_matches

    return bool(get_close_matches(word, words, 1, _SIMILAR))


class Attributes:
    """Collects the attributes below one task; `at` has the line numbers of each keyword."""

    def __init__(self, keywords: tuple[str, ...]) -> None:
        """Start without any; only these keywords are known."""
        self.at: dict[str, tuple[int, ...]] = {}
        self._needs_by_line: dict[int, tuple[str, ...]] = {}
        self._values: dict[str, list[str]] = {keyword: [] for keyword in keywords}

    def is_second(self, attribute: Attribute) -> bool:
        """Return whether a line gives another value although a task can have only one."""
        old = self._values.get(attribute.keyword) if attribute.keyword in _SINGLE else None
        values = _read_values(attribute) if old else None
        return values is not None and values != old

    def add(self, attribute: Attribute, line: int) -> bool:
        """Add an attribute; return False for an unknown keyword, no value or an invalid one."""
        keyword = attribute.keyword
        values = _read_values(attribute) if keyword in self._values else None
        if values is None:
            return False
        self._values[keyword] = [*([] if keyword in _SINGLE else self._values[keyword]), *values]
        self.at[keyword] = (*self.at.get(keyword, ()), line)
        if keyword == "needs":
            self._needs_by_line[line] = tuple(values)
        return True

    def fields(self) -> dict[str, Any]:
        """Return the attributes as fields of an `Item`."""
        values = self._values
        outcome = (
            {"result": next(iter(values["result"]), None), "assumed": bool(values["status"])}
            if "result" in values
            else {}
        )
        return {
            **{keyword: tuple(values[keyword]) for keyword in _LISTS},
            "checks": tuple(map(parse_rule, values["check"])),
            "run": "".join(values["run"]),
            **outcome,
            "needs_by_line": self._needs_by_line,
            "at": self.at,
        }


def _read_values(attribute: Attribute) -> list[str] | None:
    """Return the values in a line; None if there is none or one is invalid."""
    keyword, value = attribute.keyword, attribute.value
    if keyword == "result":
        return [unescape(value)] if is_text(unescape(value)) else None
    if keyword == "status":
        return [ASSUMED] if value.lower() == ASSUMED else None
    parts = value.split(",") if keyword in _LISTS else [value]
    words = [unescape(part.strip()) for part in parts if part.strip()]
    rules = (parse_rule(word).rule if keyword == "check" else word for word in words)
    return words if words and all(map(is_name, rules)) else None


def shown_result(result: str | None) -> str:
    """Return what the line `- result:` shows: the first line of a result, shortened if it is long.

    What is left out is counted in a mark at the end, such as ` … (+1234)`.
    """
    _, shown, rest = _split_result(result or "")
    return shown + _result_mark(rest)


def edited_result(result: str | None, line: str) -> str:
    """Return a result after its line was edited; as long as the mark stays, so does the rest."""
    before, _, rest = _split_result(result or "")
    mark = _result_mark(rest)
    return f"{before}{line.removesuffix(mark)}{rest}" if mark and line.endswith(mark) else line


def _split_result(result: str) -> tuple[str, str, str]:
    """Split a result into blank space, the part that is shown, and the rest."""
    text = result.lstrip()
    line = (text.splitlines() or [""])[0][:_RESULT_CHARACTERS].rstrip()
    return result[: len(result) - len(text)], line, text[len(line) :]


def _result_mark(rest: str) -> str:
    return f" … (+{len(rest)})" if rest.strip() else ""
