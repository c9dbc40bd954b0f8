"""Run the programs of checks: in the workspace, without secrets, with a timeout, stoppable.

A command check is `sh -c RULE`, a Python check calls `module:function`. Exit code 0 is green, any
other is red. A program that was killed or could not start, or whose time was up, runs once more;
if that shows nothing either, the result is unknown.
"""

from __future__ import annotations

import os
import sys
from errno import EINVAL
from signal import SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU
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
_KILLS: Final = frozenset((SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU))
_BY_SIGNAL: Final = 128  # of the exit code of a shell
_NOT_FOUND: Final = (126, 127)
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
    return _run_twice(check, (*SHELL, check.rule), runner)


def check_function(check: Check, runner: CheckRunner) -> Evidence:
    """Run a Python check, in a process of its own."""
    return _run_twice(check, (sys.executable, "-c", _SCRIPT, check.rule), runner)


def _run_twice(check: Check, arguments: Sequence[str], runner: CheckRunner) -> Evidence:
    """Run the program of a check, once more if that shows nothing; exit code 0 is green."""
    evidence = _run_program(check, arguments, runner)
    return _run_program(check, arguments, runner) if evidence.ok is None else evidence


def _run_program(check: Check, arguments: Sequence[str], runner: CheckRunner) -> Evidence:
    try:
        ended = runner.run(arguments)
    except (OSError, ValueError) as error:  # no process available, or a NUL in the rule
        return Evidence(check, ok=None, says=not_started(error))
    return Evidence(
        check,
        ok=None if shows_nothing(ended, arguments[0]) else ended.code == 0,
        says=outcome(ended, runner.seconds),
        tail=redact_tail(ended.tail),
        digest=f"sha256:{ended.digest}",
        code=ended.code,
    )


def shows_nothing(ended: ProcessResult, program: str) -> bool:
    """Return whether a check was ended from outside, so that nobody knows what it would have shown.

    It took too long, or a signal killed it that no program gets for an error of its own; a shell
    tells of its last command. Or our own interpreter is gone.
    """
    if ended.how != "exit" or -ended.code in _KILLS or ended.code - _BY_SIGNAL in _KILLS:
        return True
    return ended.code in _NOT_FOUND and not os.access(program, os.X_OK)


def not_started(error: OSError | ValueError) -> str:
    """Return what a check says whose program could not be started."""
    return f"not_started {os.strerror(getattr(error, 'errno', None) or EINVAL)}"


def redact_tail(output: bytes) -> str:
    """Return the end of a command's output, redacted."""
    return redact(output.decode(errors="replace"))[-TAIL:]


def outcome(ended: ProcessResult, seconds: float) -> str:
    """Return in short how a program ended."""
    if ended.how == "timeout":
        return f"timeout {seconds:g}"
    if ended.code < 0:
        return f"signal {-ended.code}"
    return f"exit {ended.code}" if ended.code else "passed"
