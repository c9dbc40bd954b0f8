"""A merge carried out wish by wish: which ids new lines get, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from outlast.domain.changes import PhaseAdded, TaskAdded
from outlast.domain.commands import AddTasks
from outlast.formats.markdown.merge.comments import not_taken_in
from outlast.formats.markdown.merge.placeholder import is_new, new_phase, new_task
from outlast.formats.markdown.merge.prose import gathered, to_prose, with_comments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from msgspec import Struct

    from outlast.domain.changes import Change
    from outlast.domain.commands import Command
    from outlast.domain.model import Prose
    from outlast.formats.markdown.merge.edits import Merge, Wish

    S = TypeVar("S", bound=Struct)

_REFERRING: Final = ("task", "phase", "insert_after", "needs")


class Taking:
    """How far a merge has been carried out."""

    def __init__(self, merge: Merge) -> None:
        """Begin."""
        self._merge = merge
        self._ids: dict[object, int | str] = {}
        self._comments: dict[str, list[str]] = {}

    def commands(self, wish: Wish) -> tuple[Command, ...]:
        """Return the commands of a wish by ids that are there; none if it needs what is not."""
        try:
            return tuple(map(self._bound, wish.commands))
        except KeyError:
            return ()

    def done(self, wish: Wish, changes: Iterable[Change]) -> None:
        """Note what has come of a wish."""
        lines = iter(wish.new)
        for change in changes:
            if isinstance(change, TaskAdded):
                self._ids[new_task(next(lines))] = change.task.id
            elif isinstance(change, PhaseAdded):
                self._ids[new_phase(next(lines))] = change.phase.id

    def refused(self, wish: Wish) -> None:
        """Keep the words of a wish that was refused as a comment."""
        comments = self._comments.setdefault(wish.anchor, [])
        comments += map(not_taken_in, wish.said)

    def prose(self) -> tuple[Prose, ...]:
        """Return people's own lines as the plan is to keep them now."""
        found = with_comments(gathered(self._merge.prose), self._comments)
        settled: dict[str, tuple[str, ...]] = {}
        for anchor, lines in found.items():
            there = self._anchor(anchor)
            settled[there] = settled.get(there, ()) + lines
        return to_prose(settled)

    def _bound(self, command: Command) -> Command:
        if isinstance(command, AddTasks):
            command = replace(command, tasks=tuple(map(self._exchanged, command.tasks)))
        return self._exchanged(command)

    def _exchanged(self, one: S) -> S:
        new = {
            field: self._known(value)
            for field in _REFERRING
            if _is_placeholder(value := getattr(one, field, None))
        }
        return replace(one, **new) if new else one

    def _known(self, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(self._known(one) for one in value)
        return self._ids[value] if _is_placeholder(value) else value

    def _anchor(self, anchor: str) -> str:
        """Return an anchor that is there, else the nearest above it."""
        while anchor in self._merge.instead:
            kind, _, name = anchor.partition(":")
            found = self._ids.get(int(name) if kind == "task" else name)
            if found is not None:
                return f"{kind}:{found}"
            anchor = self._merge.instead[anchor]
        return anchor


def _is_placeholder(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_placeholder, value))
    return value < 0 if isinstance(value, int) else isinstance(value, str) and is_new(value)
