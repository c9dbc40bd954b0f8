"""Run the programs of checks: in the workspace, without secrets, with a timeout, stoppable.

A command check is `sh -c RULE`, a Python check calls `module:function`. Exit code 0 is green.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from outlast.errors import CheckFailed
from outlast.model.model import Check, Evidence
from outlast.redact.secrets import redact
from outlast.system.environment import child_environment
from outlast.system.processes import ProcessResult, RunningProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from outlast.proof.checks.workspace_files import WorkspaceFiles

SHELL: Final = ("/bin/sh", "-c")
TAIL: Final = 2_000  # characters
_SCRIPT: Final = r"""
import importlib, sys
module, _, path = sys.argv[1].partition(":")
function = importlib.import_module(module)
for name in path.split("."):
    function = getattr(function, name)
if function() is False:
    sys.exit("it returned False")
"""


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


def check_command(check: Check, runner: CheckRunner) -> Evidence:
    """Run a command check."""
    return _run_program(check, (*SHELL, check.rule), runner)


def check_function(check: Check, runner: CheckRunner) -> Evidence:
    """Run a Python check, in a process of its own."""
    return _run_program(check, (sys.executable, "-c", _SCRIPT, check.rule), runner)


def _run_program(check: Check, arguments: Sequence[str], runner: CheckRunner) -> Evidence:
    """Run the program of a check; exit code 0 is green."""
    try:
        ended = runner.run(arguments)
    except (OSError, ValueError) as error:  # no process available, or a NUL in the rule
        number = getattr(error, "errno", None)
        return Evidence(check, ok=False, says=f"not_started {os.strerror(number or 22)}")
    return Evidence(
        check,
        ok=ended.how == "exit" and ended.code == 0,
        says=_outcome(ended, runner.seconds),
        tail=redact_tail(ended.tail),
        digest=f"sha256:{ended.digest}",
        code=ended.code,
    )


def redact_tail(output: bytes) -> str:
    """Return the end of a command's output, redacted."""
    return redact(output.decode(errors="replace"))[-TAIL:]


def _outcome(ended: ProcessResult, seconds: float) -> str:
    if ended.how == "timeout":
        return f"timeout {seconds:g}"
    if ended.code < 0:
        return f"signal {-ended.code}"
    return f"exit {ended.code}" if ended.code else "passed"
