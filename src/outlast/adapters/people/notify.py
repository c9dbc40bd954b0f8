"""A command of the user's that is run when it is time to look.

It gets the text on its standard input and the occasion in `OUTLAST_OCCASION`. It is not waited for,
and goes on when we have ended; after its time it and all that it started in its group is killed.
"""

from __future__ import annotations

import os
from subprocess import DEVNULL, Popen
from tempfile import TemporaryFile
from threading import Thread
from typing import TYPE_CHECKING, Final

from outlast.formats.redact.engine import redact
from outlast.system.logs import LOG
from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.ports.notify import Occasion

OCCASION: Final = "OUTLAST_OCCASION"
SECONDS: Final = 30
_SHELL: Final = "/bin/sh"
_CHARACTERS: Final = 4_000

# Runs a command with our input, and a guard beside it that ends the group when the time is up. When
# the command has ended, the rest of the group is told to end too, and the guard with it.
_GUARDED: Final = """
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


class NotifyCommand:
    """Runs a command of a shell for each notification."""

    def __init__(self, command: str, seconds: int = SECONDS) -> None:
        """Take the command from the user's own configuration, never from a project's."""
        self._command, self._seconds = command, seconds

    def notify(self, occasion: Occasion, text: str) -> None:
        """Start the command; what fails is logged."""
        try:
            program = self._start(occasion, _shown(text))
            Thread(target=_wait, args=(program, occasion), daemon=True).start()
        except Exception:
            LOG.exception("the notify command could not be started")

    def _start(self, occasion: Occasion, text: str) -> Popen[bytes]:
        with TemporaryFile() as file:  # which nobody has to write to while it is read
            file.write(text.encode(errors="replace"))
            file.seek(0)
            return Popen(  # noqa: S603 - the user's own command
                [_SHELL, "-c", _GUARDED, "sh", self._command, str(self._seconds)],
                env={**os.environ, OCCASION: occasion},
                start_new_session=True,
                stdin=file,
                stderr=DEVNULL,
                stdout=DEVNULL,
            )


def _shown(text: str) -> str:
    """Return a text without secrets, and without what could steer a terminal, cut."""
    return "\n".join(map(visible, redact(text).splitlines()))[:_CHARACTERS]


def _wait(program: Popen[bytes], occasion: str) -> None:
    code = program.wait()
    if code:
        LOG.warning("the notify command for %s ended with %s", occasion, code)
