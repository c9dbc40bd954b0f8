"""Run the programs of checks: in the workspace, with a timeout, stoppable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import CheckFailed
from outlast.system.processes import RunningProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.adapters.checks.workspace_files import WorkspaceFiles
    from outlast.system.processes import ProcessResult


class CheckRunner:
    """Runs programs in the root of a workspace, each with a timeout in seconds."""

    def __init__(self, files: WorkspaceFiles, seconds: float) -> None:
        self.files, self.seconds = files, seconds
        self._running: set[RunningProcess] = set()

    def run(
        self, arguments: Sequence[str], *, seconds: float | None = None, keep: Sequence[int] = ()
    ) -> ProcessResult:
        """Run a program and wait; raise `CheckFailed` if `stop` ended it."""
        running = RunningProcess(arguments, self.files.root, pass_fds=keep)
        self._running.add(running)
        try:
            ended = running.wait(self.seconds if seconds is None else seconds)
        finally:
            self._running.discard(running)
        if ended.how == "stopped":
            raise CheckFailed("check_stopped")
        return ended

    def stop(self) -> None:
        """Stop all running programs; call it from another thread."""
        for running in tuple(self._running):
            running.stop()
