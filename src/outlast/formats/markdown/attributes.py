"""The indented lines below a task: `after`, `check`, `run`, `files`, `protect`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.formats.check_rule import parse_rule, write_rule
from outlast.formats.markdown.element import is_name
from outlast.formats.markdown.escape import escape, escape_item, unescape
from outlast.formats.markdown.marks import KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.model import Task

_LISTS: Final = ("after", "files", "protect")


def write(task: Task, after: Iterable[str]) -> list[str]:
    """Return the lines for a task; `after` is how the file calls what it depends on."""
    lines = [f"  - after: {', '.join(after)}"] if task.needs else []
    lines += [f"  - check: {escape(write_rule(check))}" for check in task.checks]
    if task.run:
        lines.append(f"  - run: {escape(task.run)}")
    lines += _listed("files", task.files)
    return lines + _listed("protect", task.protect)


def _listed(keyword: str, items: tuple[str, ...]) -> list[str]:
    return [f"  - {keyword}: {', '.join(map(escape_item, items))}"] if items else []


class Attributes:
    """What the lines below one task say, and which lines say it."""

    def __init__(self) -> None:
        """Begin below a task."""
        self.at: dict[str, tuple[int, ...]] = {}
        self._said: dict[str, list[str]] = {keyword: [] for keyword in KEYWORDS}

    def is_said(self, keyword: str, value: str) -> bool:
        """Tell whether only one line can ask for this, and one asks for something else."""
        said, wanted = self._said["run"], unescape(value)
        return keyword == "run" and bool(said) and is_name(wanted) and said != [wanted]

    def read(self, keyword: str, value: str, line: int) -> bool:
        """Take a line in, unless it asks for nothing, or for what no task can have."""
        values = value.split(",") if keyword in _LISTS else [value]
        words = [unescape(one.strip()) for one in values if one.strip()]
        rules = (parse_rule(word).rule if keyword == "check" else word for word in words)
        if not words or not all(map(is_name, rules)):
            return False
        self._said[keyword] = words if keyword == "run" else [*self._said[keyword], *words]
        self.at[keyword] = (*self.at.get(keyword, ()), line)
        return True

    def fields(self) -> dict[str, Any]:
        """Return the fields of an item."""
        said = self._said
        return {
            **{keyword: tuple(said[keyword]) for keyword in _LISTS},
            "checks": tuple(map(parse_rule, said["check"])),
            "run": "".join(said["run"]),
            "at": self.at,
        }
