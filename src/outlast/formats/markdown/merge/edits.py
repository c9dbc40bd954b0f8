"""What somebody who edited `task_plan.md` wants done, and what has to be told them."""

from __future__ import annotations

from msgspec import Struct

from outlast.domain.commands import Command
from outlast.domain.model import Prose


class Wish(Struct, frozen=True):
    """Commands for one thing that was edited, which stand or fall together.

    `what` is the word for it (`title goal phase place name status after check run files protect
    new gone`), `said` the lines of the file that say so, `anchor` where they are kept if it is
    refused. `new` are the lines of the tasks, or the line of the phase, that it adds.
    """

    what: str
    line: int
    commands: tuple[Command, ...]
    anchor: str
    said: tuple[str, ...] = ()
    new: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many edits it comes from; what is done to a new task is part of adding it."""
        return len(self.new) or not self.anchor.startswith(("task:-", "phase:+"))


class Report(Struct, frozen=True):
    """Something to be told: the key of a text, and what to fill in; `line` is always there."""

    text: str
    details: dict[str, object]


class Merge(Struct, frozen=True):
    """All that follows from an edit. `held`: nothing is done before somebody has been asked.

    `prose` is the whole of people's own lines, with anchors of tasks and phases that are not
    there yet; `instead` has an anchor that is there for each of those. `Taking` fills them in.
    """

    wishes: tuple[Wish, ...] = ()
    reports: tuple[Report, ...] = ()
    prose: tuple[Prose, ...] = ()
    instead: dict[str, str] = {}
    held: bool = False
