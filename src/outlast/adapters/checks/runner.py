"""Where checks are run: in which directory, for how long, and how that is broken off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import CheckFailed
from outlast.system.processes import Running

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.adapters.checks.inside import Inside
    from outlast.system.processes import Ended


class Desk:
    """Runs programs in a workspace, each for some seconds at most."""

    def __init__(self, inside: Inside, seconds: float) -> None:
        """Work in a directory."""
        self.inside, self.seconds = inside, seconds
        self._running: set[Running] = set()

    def run(
        self, arguments: Sequence[str], *, seconds: float | None = None, keep: Sequence[int] = ()
    ) -> Ended:
        """Run a program to its end."""
        running = Running(arguments, self.inside.root, keep=keep)
        self._running.add(running)
        try:
            ended = running.wait(self.seconds if seconds is None else seconds)
        finally:
            self._running.discard(running)
        if ended.how == "stopped":
            raise CheckFailed("check_stopped")
        return ended

    def stop(self) -> None:
        """Break off whatever is run now; from another thread."""
        for running in tuple(self._running):
            running.stop()
