"""How the file calls what a task depends on: by id, by position if it has no ids, or by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from outlast.domain.state import PlanState
    from outlast.formats.markdown.document import Item

_DIGITS: Final = 16


def written(state: PlanState, *, ids: bool) -> Mapping[int, str]:
    """Return how the file calls each task of a plan."""
    if ids:
        return {task: str(task) for task in state.tasks}
    return {task: str(place) for place, task in enumerate(state.graph.order, 1)}


class References:
    """What is meant by the words behind `after:`."""

    def __init__(
        self, items: Iterable[Item], ids: Mapping[int, int], numbers: Iterable[int]
    ) -> None:
        """Know the tasks of a file: the id of each line, and the ids a number may mean.

        Without `numbers` a number is a position.
        """
        self._places: list[int] = []
        self._names: dict[str, list[int]] = {}
        self._numbers = frozenset(numbers)
        for item in items:
            task = ids[item.line]
            self._places.append(task)
            self._names.setdefault(item.name, []).append(task)

    def find(self, words: tuple[str, ...]) -> tuple[tuple[int, ...], list[str]]:
        """Return the tasks that are meant, each once, and the words that mean none or several."""
        whole = self._named(", ".join(words)) if len(words) > 1 else None
        if whole is not None:  # a name with a comma in it
            return (whole,), []
        found: dict[int, None] = {}
        unknown = []
        for word in words:
            task = self._one(word)
            if task is None:
                unknown.append(word)
            else:
                found[task] = None
        return tuple(found), unknown

    def _one(self, word: str) -> int | None:
        digits = word.removeprefix("t")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS):
            return self._named(word)
        number = int(digits)
        if self._numbers:
            return number if number in self._numbers else self._named(word)
        return self._places[number - 1] if 0 < number <= len(self._places) else self._named(word)

    def _named(self, name: str) -> int | None:
        tasks = self._names.get(name, ())
        return tasks[0] if len(tasks) == 1 else None
