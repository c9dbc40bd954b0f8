"""Run a command on a pseudo-terminal; a timeout shows what was printed so far."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

from tests.cli.agent_scripts import isolated_environment

HANG = 60  # seconds after which a test is given up


class Terminal:
    """A process on a terminal of its own, which is also its controlling one."""

    def __init__(
        self, cwd: Path, *arguments: str, rows: int = 30, columns: int = 100, **variables: str
    ) -> None:
        self._ours, its = pty.openpty()
        termios.tcsetwinsize(its, (rows, columns))
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "outlast", *arguments],
            cwd=cwd,
            env=isolated_environment(cwd, **{"TERM": "xterm-256color", **variables}),
            preexec_fn=_own_terminal,  # noqa: PLW1509 - no threads here
            start_new_session=True,
            stdin=its,
            stdout=its,
            stderr=its,
        )
        os.close(its)
        self.shown = ""

    def until(self, text: str) -> None:
        """Read until this is shown."""
        latest = time.monotonic() + HANG
        while text not in self.shown:
            self.shown += self._read(latest)

    def read_more(self, latest: float) -> None:
        """Read what is shown next."""
        self.shown += self._read(latest)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def close(self) -> None:
        """Close the terminal, like its window: the process gets SIGHUP, and can print no more."""
        os.close(self._ours)

    def end(self) -> int:
        """Read to the end; return the exit code."""
        latest = time.monotonic() + HANG
        try:
            while True:
                self.shown += self._read(latest)
        except OSError:  # Linux says so when the last one has let go
            pass
        os.close(self._ours)
        return self.process.wait(timeout=HANG)

    def _read(self, latest: float) -> str:
        try:
            return read_before(latest, self._ours, self.shown)
        except AssertionError:
            self.process.kill()
            raise


def read_before(latest: float, terminal: int, shown: str) -> str:
    """Return what a terminal is sent next; what it has shown so far says what is missing."""
    ready, _, _ = select.select([terminal], [], [], max(0.0, latest - time.monotonic()))
    assert ready, f"nothing more came in {HANG} seconds after:\n{shown}"
    return os.read(terminal, 1 << 16).decode(errors="replace")


def _own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
