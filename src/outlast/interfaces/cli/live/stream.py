"""A loop at work for programs: one event a line, as JSON."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from outlast.interfaces.cli.render.output import encoded, write
from outlast.ports.events import shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.ports.events import Event


class Stream:
    """Prints every event with its `type`."""

    def tell(self, event: Event) -> None:
        """Print an event."""
        write(encoded(shape(event)), sys.stdout)

    def tick(self) -> None:
        """Print nothing: time is no event."""

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Go on afterwards; nothing is printed meanwhile anyway."""
        yield

    def close(self) -> None:
        """End; everything has been printed."""
