"""References to tasks in `- needs:`: by id, by position in a file without ids, or by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from outlast.documents.markdown.document import Item
    from outlast.model.state import PlanState

_DIGITS: Final = 16
_SEPARATORS: Final = re.compile("[\uff0c\u3001]")  # besides the comma that attributes are split at


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
