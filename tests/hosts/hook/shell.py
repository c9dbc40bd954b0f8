"""Runs the installed command of a hook, as an agent's shell does."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import outlast
from outlast.hosts.settings.hook_table import HookEntry, hook_command
from outlast.hosts.wire.events import HostName, Moment

SCRIPT: Final = str(Path(outlast.__file__).parent / "hosts/hook/hook.sh")
_SESSION_VARIABLES: Final = {"claude-code": "CLAUDE_CODE_SESSION_ID", "gemini": "GEMINI_SESSION_ID"}


class Shell:
    """Answers hooks by a shell that runs `hook.sh`; its standard error must stay empty.

    It counts how often the full program was started.
    """

    def __init__(
        self, place: Path, interpreter: tuple[str, ...] = ("sh",), *, name: str = "python"
    ) -> None:
        self.place, self.interpreter = place, interpreter
        self.script, self.environment = SCRIPT, dict(os.environ)
        self._started = place / "started"
        self.python = place / name
        self.python.write_text(
            f"#!/bin/sh\necho \"$4\" >>'{self._started}'\nexec '{sys.executable}' \"$@\"\n"
        )
        self.python.chmod(0o755)

    @property
    def started(self) -> list[str]:
        """The moments for which the full program was started, since the last look."""
        lines = self._started.read_text().split() if self._started.exists() else []
        self._started.unlink(missing_ok=True)
        return lines

    def __call__(self, host: HostName, moment: Moment, payload: bytes, kind: str = "") -> str:
        return self.run(host, moment, payload, kind).decode()

    def run(self, host: str, moment: str, payload: bytes, kind: str = "") -> bytes:
        words = [*self.interpreter, self.script, moment, host, str(self.python), kind]
        return self.execute([word for word in words if word], host, payload)

    def execute(self, command: list[str], host: str, payload: bytes) -> bytes:
        environment = dict(self.environment)
        session = payload.partition(b'"session_id":"')[2].partition(b'"')[0]
        if host in _SESSION_VARIABLES and session:
            environment[_SESSION_VARIABLES[host]] = session.decode(errors="replace")
        done = subprocess.run(  # noqa: S603 - our own program
            command,
            input=payload,
            capture_output=True,
            env=environment,
            cwd="/",
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b""), done
        return done.stdout


def installed(host: HostName, moment: Moment, script: str, python: str, kind: str = "") -> str:
    """Return the command that an agent has in its settings."""
    return hook_command(host, HookEntry("", moment, kind=kind), script, python)
