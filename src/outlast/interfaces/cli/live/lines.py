"""A loop at work in plain lines, for pipes, logs and terminals without colours."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from outlast.interfaces.cli.render.output import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.interfaces.cli.live.event_lines import Narrator
    from outlast.ports.events import Event


class Lines:
    """Prints a line for everything that is worth one."""

    def __init__(self, narrator: Narrator) -> None:
        """Begin with nothing said."""
        self._narrator = narrator

    def tell(self, event: Event) -> None:
        """Print what has happened."""
        lines = self._narrator.told(event)
        if lines:
            write("\n".join(lines), sys.stdout)

    def tick(self) -> None:
        """Print nothing: no line is brought up to date."""

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Go on afterwards; nothing is printed meanwhile anyway."""
        yield

    def close(self) -> None:
        """End; everything has been printed."""
