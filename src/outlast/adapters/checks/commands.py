"""Checks that are commands: `sh -c RULE` in the workspace, green if it ends with 0."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.domain.model import Evidence
from outlast.formats.redact.engine import redact

if TYPE_CHECKING:
    from outlast.adapters.checks.runner import Desk
    from outlast.domain.model import Check
    from outlast.system.processes import Ended

SHELL: Final = ("/bin/sh", "-c")
TAIL: Final = 2_000  # characters


def run(check: Check, desk: Desk) -> Evidence:
    """Run the command, and say how it ended."""
    try:
        ended = desk.run((*SHELL, check.rule))
    except (OSError, ValueError) as error:  # no process to be had, or a NUL in the rule
        number = getattr(error, "errno", None)
        return Evidence(check, ok=False, says=f"not_started {os.strerror(number or 22)}")
    return Evidence(
        check,
        ok=ended.how == "exit" and ended.code == 0,
        says=_says(ended, desk.seconds),
        tail=tail_of(ended.tail),
        digest=f"sha256:{ended.digest}",
        code=ended.code,
    )


def tail_of(output: bytes) -> str:
    """Return the end of what a command printed, without the secrets in it."""
    return redact(output.decode(errors="replace"))[-TAIL:]


def _says(ended: Ended, seconds: float) -> str:
    if ended.how == "timeout":
        return f"timeout {seconds:g}"
    if ended.code < 0:
        return f"signal {-ended.code}"
    return f"exit {ended.code}" if ended.code else "passed"
