"""Run the programs of checks: in the workspace, without secrets, with a timeout, stoppable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import CheckFailed
from outlast.system.environment import child_environment
from outlast.system.processes import RunningProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from outlast.proof.checks.workspace_files import WorkspaceFiles
    from outlast.system.processes import ProcessResult


class CheckRunner:
    """Runs programs in the root of a workspace, each with a timeout in seconds.

    They get the variables that `pass_env` names even if they look like secrets, and `variables` on
    top of ours.
    """

    def __init__(
        self,
        files: WorkspaceFiles,
        seconds: float,
        pass_env: Callable[[], Collection[str]] = tuple,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.files, self.seconds, self._pass_env = files, seconds, pass_env
        self._variables = variables or {}
        self._running: set[RunningProcess] = set()

    def run(
        self, arguments: Sequence[str], *, seconds: float | None = None, keep: Sequence[int] = ()
    ) -> ProcessResult:
        """Run a program and wait; raise `CheckFailed` if `stop` ended it."""
        environment = {**child_environment(self._pass_env()), **self._variables}
        running = RunningProcess(arguments, self.files.root, environment=environment, pass_fds=keep)
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
