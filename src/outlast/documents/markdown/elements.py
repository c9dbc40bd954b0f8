"""Read the lines of `task_plan.md`: headings of phases, tasks, and the attributes below a task."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from outlast.documents.markdown import syntax
from outlast.errors import InvalidArgument
from outlast.model.limits import check_name, check_text
from outlast.model.model import TaskStatus, parse_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from outlast.documents.markdown.document import Item
    from outlast.model.state import PlanState

_KEYWORDS: Final = (*syntax.KEYWORDS, *syntax.OUTCOME_KEYWORDS)
_LISTS: Final = ("needs", "files", "protect")
_SINGLE: Final = ("run", "status", "result")
_SIMILAR: Final = 0.75
_RESULT_CHARACTERS: Final = 200
_TASK_STARTS: Final = frozenset("-*+0123456789[\uff3b\u3010○◐●⊘✖")
_FEWEST_PARTS: Final = 2
_DIGITS: Final = 16
_SEPARATORS: Final = re.compile("[\uff0c\u3001]")  # besides the comma that attributes are split at


class Heading(NamedTuple):
    """The heading of a phase; `is_marked` if it has an icon or the word `Phase:`."""

    title: str
    is_marked: bool = False


class TaskLine(NamedTuple):
    """The line of a task.

    `name` is "" where a line with a number has no valid name. `box` is None without a known box.
    """

    name: str
    box: TaskStatus | None
    icon: TaskStatus | None = None
    id: int | None = None


def read_element(line: str) -> Heading | TaskLine | None:
    """Return the heading or task in a line; None for any other line and for an invalid name.

    The line of a task has two of these: a bullet, a known box, an icon, a number. One that is
    indented has a bullet and a box.
    """
    start = line.lstrip()[:2]
    if start == "##":
        return _read_heading(line)
    match = syntax.TASK.match(line) if start[:1] in _TASK_STARTS else None
    if match is None:
        return None
    _, bullet, character, rest = match.groups()
    if not (bullet and character is not None) and is_indented(line):
        return None
    box = None if character is None else syntax.BOXES.get(character)
    label = _read_label(rest)
    parts = (bullet, box, label.icon, label.id)
    if len(parts) - parts.count(None) < _FEWEST_PARTS or not (label.name or label.id):
        return None
    return label._replace(box=(label.box or box) if box in (None, "pending") else box)


def _read_heading(line: str) -> Heading | None:
    match = syntax.PHASE.match(line)
    title = read_name(match[3] or "") if match else None
    return None if title is None else Heading(title, bool(match and (match[1] or match[2])))


def _read_label(text: str) -> TaskLine:
    """Return what stands to the right of a box: icon, number and name; struck means skipped."""
    struck = syntax.STRUCK.match(text)
    text = struck[1] + struck[2] if struck else text
    icon = syntax.ICON.match(text)
    text = text[icon.end() :] if icon else text
    number = syntax.NUMBER.match(text)
    mark = syntax.ID.search(text)
    text = text[number.end() if number else 0 : mark.start() if mark else None]
    task = int(number[2]) if number else int(mark[1]) if mark else None
    return TaskLine(
        read_name(text) or "",
        "skipped" if struck else None,
        syntax.STATUSES[icon[1]] if icon and icon[1] else None,
        task,
    )


def is_indented(line: str) -> bool:
    """Return whether a line is indented far enough to belong to the task above it."""
    return line.startswith(("  ", "\t"))


def is_task(line: str) -> bool:
    """Return whether a line is that of a task."""
    return isinstance(read_element(line), TaskLine)


def read_bullet(line: str) -> TaskLine | None:
    """Return the task that a plain bullet means where tasks stand, such as `- Walls`."""
    match = syntax.TASK.match(line)
    if match is None or not match[2] or match[3] is not None or is_indented(line):
        return None
    attribute = read_attribute(line)
    is_keyword = attribute is not None and attribute.keyword in _KEYWORDS
    if is_keyword or syntax.RULES.match(line) or syntax.OPEN_BOX.match(match[4]):
        return None
    label = _read_label(match[4])
    return TaskLine(label.name, label.box) if label.name else None


def is_prose_text(line: str) -> bool:
    """Return whether a line of prose is text, so that a plain bullet below it is a part of it."""
    text = line.strip()
    return text == syntax.SEPARATOR or not (
        not text or text.startswith(syntax.COMMENT) or syntax.QUOTE.match(line)
    )


def begins_with_bullet(prose: Iterable[str]) -> bool:
    """Return whether prose has a bullet above its first text, which would be read as a task."""
    texts = (line for line in prose if is_prose_text(line))
    return read_bullet(next(texts, "")) is not None


def is_separated(prose: Sequence[str]) -> bool:
    """Return whether a comment separates this prose from the heading of a phase above it."""
    return begins_with_bullet(prose) or bool(prose and syntax.QUOTE.match(prose[0]))


def without_number(line: str) -> str:
    """Return the line of a task without its number, and any other line as it is."""
    element = read_element(line)
    if not isinstance(element, TaskLine) or element.id is None:
        return line
    return syntax.NUMBER.sub("", syntax.ID.sub("", line), count=1)


def read_name(text: str) -> str | None:
    """Unescape the name of a phase or a task; return None for an invalid one."""
    name = syntax.unescape(text.strip())
    return name if is_valid(name) else None


def is_valid(text: str, check: Callable[[str, str], object] = check_name) -> bool:
    """Return whether a text is valid, by default as a name, a rule or a pattern."""
    try:
        check(text, "text")
    except InvalidArgument:
        return False
    return True


def shown_status(line: Item | TaskLine) -> TaskStatus:
    """Return the status that a line shows where no base is known: the box wins over the icon."""
    if line.box not in (None, "pending"):
        return line.box
    is_unticked = line.box is not None and line.icon == "completed"
    return "pending" if line.icon is None or is_unticked else line.icon


class Attribute(NamedTuple):
    """A line such as `- check: pytest -q`; its keyword may be an unknown word."""

    is_indented: bool
    keyword: str
    value: str


def read_attribute(line: str) -> Attribute | None:
    """Return the attribute in a line; every word for dependencies becomes `needs`."""
    match = syntax.ATTRIBUTE.match(line)
    if match is None:
        return None
    keyword = match[2].lower()
    if keyword in syntax.NEEDS_WORDS:
        keyword = syntax.NEEDS_WORDS[0]
    return Attribute(bool(match[1]), keyword, match[3].strip())


def is_like_keyword(word: str) -> bool:
    """Return whether a word is a keyword, or a misspelled one."""
    if word in _KEYWORDS:
        return True
    from difflib import get_close_matches

    return bool(get_close_matches(word, _KEYWORDS, 1, _SIMILAR))


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
        result = syntax.unescape(value)
        return [result] if is_valid(result, check_text) else None
    if keyword == "status":
        return [syntax.ASSUMED] if value.lower() == syntax.ASSUMED else None
    if keyword == "needs" and not value:
        return []  # a key, even empty: this task needs none
    parts = [value]
    if keyword in _LISTS:  # the name of a task may contain a Chinese comma, see `References`
        parts = value.split(",") if keyword == "needs" else syntax.COMMAS.split(value)
    words = [syntax.unescape(part.strip()) for part in parts if part.strip()]
    rules = (parse_rule(word).rule if keyword == "check" else word for word in words)
    return words if words and all(map(is_valid, rules)) else None


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


def reference_words(state: PlanState, *, ids: bool) -> Mapping[int, str]:
    """Return the word that the rendered file uses for each task of a plan."""
    if ids:
        return {task: str(task) for task in state.tasks}
    return {task: str(place) for place, task in enumerate(state.graph.order, 1)}


def split_words(words: Iterable[str]) -> tuple[str, ...]:
    """Split words at Chinese commas as well."""
    parts = (part.strip() for word in words for part in _SEPARATORS.split(word))
    return tuple(part for part in parts if part)


class References:
    """Resolves the words after `needs:`."""

    def __init__(
        self, items: Iterable[Item], ids: Mapping[int, int], numbers: Iterable[int]
    ) -> None:
        """Index the tasks of a file: `ids` by line, and `numbers` that are valid as ids.

        A number that a line shows is that line's task, also where people gave it another number.
        Without `numbers` a number is a position.
        """
        self._places: list[int] = []
        self._names: dict[str, list[int]] = {}
        shown: dict[int, int] = {}
        for item in items:
            task = ids[item.line]
            self._places.append(task)
            self._names.setdefault(item.name, []).append(task)
            if item.id is not None and (task == item.id or item.id not in shown):
                shown[item.id] = task
        self._numbers = {number: number for number in numbers}
        valid = {*self._numbers, *(task for task in self._places if task < 0)}
        if self._numbers:
            self._numbers |= {number: task for number, task in shown.items() if task in valid}

    def find(self, words: tuple[str, ...]) -> tuple[tuple[int, ...], list[str]]:
        """Return the tasks, each once, and the words that match no task or several.

        A name that contains a separator is matched as a whole first.
        """
        whole = self._find_name(", ".join(words)) if len(words) > 1 else None
        if whole is not None:
            return (whole,), []
        tasks: dict[int, None] = {}
        unknown = []
        for word in words:
            parts = (word,) if self._find_word(word) is not None else split_words((word,))
            for part in parts:
                task = self._find_word(part)
                if task is None:
                    unknown.append(part)
                else:
                    tasks[task] = None
        return tuple(tasks), unknown

    def _find_word(self, word: str) -> int | None:
        digits = word.strip("*_#")  # also **2**, as the file shows it
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS):
            return self._find_name(word)
        number = int(digits)
        if self._numbers:
            task = self._numbers.get(number)
            return self._find_name(word) if task is None else task
        is_place = 0 < number <= len(self._places)
        return self._places[number - 1] if is_place else self._find_name(word)

    def _find_name(self, name: str) -> int | None:
        tasks = self._names.get(name, ())
        return tasks[0] if len(tasks) == 1 else None
