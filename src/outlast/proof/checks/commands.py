"""Command checks: `sh -c RULE` in the workspace; exit code 0 is green."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.model.model import Evidence
from outlast.redact.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.model import Check
    from outlast.proof.checks.runner import CheckRunner
    from outlast.system.processes import ProcessResult

SHELL: Final = ("/bin/sh", "-c")
TAIL: Final = 2_000  # characters


def run(check: Check, runner: CheckRunner) -> Evidence:
    """Run a command check."""
    return run_program(check, (*SHELL, check.rule), runner)


def run_program(check: Check, arguments: Sequence[str], runner: CheckRunner) -> Evidence:
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
