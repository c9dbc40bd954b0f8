"""Notify a person with a command from the user's configuration.

The command gets the text on standard input, the occasion in `OUTLAST_OCCASION` and the key of the
plan in `OUTLAST_PLAN`. Outlast does not wait for it, and it outlives Outlast. At its timeout its
whole process group is killed.
"""

from __future__ import annotations

import os
from subprocess import DEVNULL, Popen
from tempfile import TemporaryFile
from threading import Thread
from typing import TYPE_CHECKING, Final

from outlast.language import visible
from outlast.redact.secrets import redact
from outlast.system.environment import named_plan_variable
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from outlast.agent.people.person import Occasion

OCCASION: Final = "OUTLAST_OCCASION"
SECONDS: Final = 30
_SHELL: Final = "/bin/sh"
_CHARACTERS: Final = 4_000

# Runs the command with our input beside a guard that kills the process group at the timeout. When
# the command ends, the rest of the group, the guard included, is terminated.
_GUARD_SCRIPT: Final = """
exec 3<&0
/bin/sh -c "$1" <&3 3<&- &
command=$!
(sleep "$2"; kill -s KILL -- "-$$") 3<&- &
wait "$command"
code=$?
trap '' TERM
kill -s TERM -- "-$$"
exit "$code"
"""


def command_notifier(command: str) -> NotifyCommand | None:
    """Return a notifier that runs the user's command; None without a command."""
    return NotifyCommand(command) if command.strip() else None


class NotifyCommand:
    """Runs a shell command for each notification."""

    def __init__(self, command: str, seconds: int = SECONDS) -> None:
        """Take a command, which must come from the user's configuration, never a project's."""
        self._command, self._seconds = command, seconds

    def notify(self, occasion: Occasion, text: str) -> None:
        """Start the command; log a failure and never raise it."""
        try:
            program = self._start(occasion, _sanitize(text))
            Thread(target=_wait, args=(program, occasion), daemon=True).start()
        except Exception:
            LOG.exception("the notify command could not be started")

    def _start(self, occasion: Occasion, text: str) -> Popen[bytes]:
        with TemporaryFile() as file:  # a pipe would need a writer while it is read
            file.write(text.encode(errors="replace"))
            file.seek(0)
            return Popen(  # noqa: S603 - the user's own command
                [_SHELL, "-c", _GUARD_SCRIPT, "sh", self._command, str(self._seconds)],
                env={**os.environ, **named_plan_variable(), OCCASION: occasion},
                start_new_session=True,
                stdin=file,
                stderr=DEVNULL,
                stdout=DEVNULL,
            )


def _sanitize(text: str) -> str:
    """Redact a text, escape control characters and truncate it."""
    return "\n".join(map(visible, redact(text).splitlines()))[:_CHARACTERS]


def _wait(program: Popen[bytes], occasion: str) -> None:
    code = program.wait()
    if code:
        LOG.warning("the notify command for %s ended with %s", occasion, code)
