"""Apply the edits of a merge one by one: replace placeholders, and keep refused edits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from outlast.documents.markdown.merge.edits import (
    Edit,
    MergeResult,
    is_phase_placeholder,
    phase_placeholder,
    task_placeholder,
)
from outlast.documents.markdown.merge.prose import add_comments, group_prose, to_prose
from outlast.documents.markdown.rejected import rejection_comment
from outlast.model.changes import Change, PhaseAdded, TaskAdded
from outlast.model.commands import AddTasks, Command

if TYPE_CHECKING:
    from collections.abc import Iterable

    from msgspec import Struct

    from outlast.model.model import Prose

    S = TypeVar("S", bound=Struct)

_REFERENCE_FIELDS: Final = ("task", "phase", "insert_after", "needs")


class EditApplier:
    """Turns edits into commands with real ids, and learns from each commit which ids there are."""

    def __init__(self, merge: MergeResult) -> None:
        """Start with no edit applied."""
        self._merge = merge
        self._ids: dict[object, int | str] = {}
        self._comments: dict[str, list[str]] = {}

    def commands(self, edit: Edit) -> tuple[Command, ...]:
        """Return the commands of an edit with real ids; none if it needs one that was refused."""
        try:
            return tuple(map(self._bind, edit.commands))
        except KeyError:
            return ()

    def record_applied(self, edit: Edit, changes: Iterable[Change]) -> None:
        """Learn the ids of the tasks or the phase that an edit added."""
        lines = iter(edit.new_lines)
        for change in changes:
            if isinstance(change, TaskAdded):
                self._ids[task_placeholder(next(lines))] = change.task.id
            elif isinstance(change, PhaseAdded):
                self._ids[phase_placeholder(next(lines))] = change.phase.id

    def record_refused(self, edit: Edit) -> None:
        """Keep the text of a refused edit as a comment."""
        comments = self._comments.setdefault(edit.anchor, [])
        comments += map(rejection_comment, edit.excerpt)

    def prose(self) -> tuple[Prose, ...]:
        """Return the prose to be stored, with real anchors and comments on refused edits."""
        prose = add_comments(group_prose(self._merge.prose), self._comments)
        anchored: dict[str, tuple[str, ...]] = {}
        for placeholder, lines in prose.items():
            anchor = self._resolve_anchor(placeholder)
            anchored[anchor] = anchored.get(anchor, ()) + lines
        return to_prose(anchored)

    def _bind(self, command: Command) -> Command:
        if isinstance(command, AddTasks):
            command = replace(command, tasks=tuple(map(self._replace_placeholders, command.tasks)))
        return self._replace_placeholders(command)

    def _replace_placeholders(self, value: S) -> S:
        new = {
            field: self._resolve(reference)
            for field in _REFERENCE_FIELDS
            if _is_placeholder(reference := getattr(value, field, None))
        }
        return replace(value, **new) if new else value

    def _resolve(self, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(self._resolve, value))
        return self._ids[value] if _is_placeholder(value) else value

    def _resolve_anchor(self, anchor: str) -> str:
        """Return the real anchor for a placeholder; if its edit was refused, the next one above."""
        while anchor in self._merge.fallback_anchors:
            kind, _, name = anchor.partition(":")
            real_id = self._ids.get(int(name) if kind == "task" else name)
            if real_id is not None:
                return f"{kind}:{real_id}"
            anchor = self._merge.fallback_anchors[anchor]
        return anchor


def _is_placeholder(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_placeholder, value))
    if isinstance(value, int):
        return value < 0
    return isinstance(value, str) and is_phase_placeholder(value)
