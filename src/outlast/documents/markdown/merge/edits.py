"""The result of a merge: edits as commands, reports for the person, and prose."""

from __future__ import annotations

from msgspec import Struct

from outlast.model.commands import Command
from outlast.model.model import Prose


class Edit(Struct, frozen=True):
    """The commands for one edited thing; they are committed together or not at all.

    `kind` is one of `title goal phase place name description status result needs check run files
    protect new gone`.
    `excerpt` are the edited lines, `anchor` is where they are kept as a comment if the edit is
    refused. `new_lines` are the lines of the tasks, or of the phase, that it adds.
    """

    kind: str
    line: int
    commands: tuple[Command, ...]
    anchor: str
    excerpt: tuple[str, ...] = ()
    new_lines: tuple[int, ...] = ()


class Report(Struct, frozen=True):
    """A message for the person: the key of a text and its values; `line` is always among them."""

    text: str
    details: dict[str, object]


class MergeResult(Struct, frozen=True):
    """All edits of a file. `held`: apply nothing before a person has confirmed it.

    `prose` is all prose of the file; an anchor in it may be a placeholder. `fallback_anchors` has
    an existing anchor for each of these. `EditApplier` replaces the placeholders.
    """

    edits: tuple[Edit, ...] = ()
    reports: tuple[Report, ...] = ()
    prose: tuple[Prose, ...] = ()
    fallback_anchors: dict[str, str] = {}
    needs_confirmation: bool = False


def task_placeholder(line: int) -> int:
    """Return the id that commands and anchors use for the task of a new line."""
    return -line


def phase_placeholder(line: int) -> str:
    """Return the id that stands for the phase of a new heading; no real id begins with `+`."""
    return f"+{line}"


def is_phase_placeholder(phase: str) -> bool:
    """Return whether an id stands for a new phase."""
    return phase.startswith("+")
