"""Running a program under a time limit so that nothing of it is left behind.

It runs in a session and process group of its own; when it ends, or its time is up, the whole group
is killed. A second small process, the watcher, waits on a pipe that only we hold open and does the
same when we are killed ourselves. The program does not begin before its watcher is there.

What leaves its group (`setsid`) is found on Linux by a mark in its environment, and killed too. On
other systems, or if it clears its environment as well, it is out of reach.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from hashlib import sha256
from selectors import EVENT_READ, DefaultSelector
from subprocess import DEVNULL, PIPE, STDOUT, Popen, TimeoutExpired
from time import sleep
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from outlast.system.clock import ticks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MARK: Final = "OUTLAST_MARK_"
TAIL_BYTES: Final = 64 * 1024
_SHELL: Final = "/bin/sh"
_PROCESSES: Final = "/proc"
_CHUNK: Final = 64 * 1024
_LOOK_EVERY: Final = 0.05  # seconds: for an end that no pipe tells
_GRACE: Final = 1.0  # seconds between the polite signal and the other
_LAST_WORDS: Final = 0.2  # seconds for what is still in the pipe of a dead group
_SWEEPS: Final = 50
_BETWEEN_SWEEPS: Final = 0.01

# Runs its arguments once it is told to. If we die before, nobody tells it.
_GATED: Final = 'IFS= read -r go && exec "$@" </dev/null'

# Waits for a word from us. If none comes we are dead: it kills a group, and what bears a mark.
_WATCHER: Final = r"""
IFS= read -r word && exit
kill -s KILL -- "-$1"
for round in 1 2 3 4 5 6 7 8 9; do
    found=$(grep -ls -- "$2" /proc/[0-9]*/environ)
    [ -n "$found" ] || exit
    for one in $found; do
        one=${one#/proc/}
        kill -s KILL "${one%/environ}"
    done
done
"""

End = Literal["exit", "timeout", "stopped"]


class Ended(Struct, frozen=True):
    """How a program ended; `digest` and `size` are of all that it printed.

    A negative code is the signal that killed it.
    """

    how: End
    code: int
    tail: bytes
    digest: str
    head: bytes = b""
    size: int = 0


class Running:
    """A program under way; another thread may break it off."""

    def __init__(
        self,
        arguments: Sequence[str],
        cwd: str,
        *,
        keep: Sequence[int] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Get a program ready, without input and with its errors among its output.

        It inherits the open files of `keep`, and our environment unless another is given.
        """
        self._mark = MARK + os.urandom(16).hex()
        self._stopped = False
        self._head, self._tail, self._size, self._digest = b"", b"", 0, sha256()
        self._program = Popen(  # noqa: S603 - what it runs, a person has allowed
            [_SHELL, "-c", _GATED, "sh", *arguments],
            cwd=cwd,
            env={**(os.environ if environment is None else environment), self._mark: "1"},
            pass_fds=keep,
            start_new_session=True,
            stderr=STDOUT,
            stdin=PIPE,
            stdout=PIPE,
        )
        try:
            self._watcher = _watcher(self._program.pid, self._mark)
        except BaseException:
            self._program.kill()
            self._program.communicate()
            raise

    def stop(self) -> None:
        """Break it off."""
        self._stopped = True

    def wait(self, seconds: float) -> Ended:
        """Let it run for so long at most; nothing of it is left when this returns."""
        how: End = "stopped"
        try:
            _tell(self._program, b"" if self._stopped else b"go\n")
            how = self._follow(ticks() + seconds)
        finally:
            self._clean_up(polite=how != "exit")
        code, digest = self._program.returncode, self._digest.hexdigest()
        return Ended(how, code, self._tail, digest, self._head, self._size)

    def _follow(self, deadline: float) -> End:
        """Take in what it prints until it ends or has to."""
        assert self._program.stdout is not None  # noqa: S101 - it is a pipe
        with DefaultSelector() as selector:
            selector.register(self._program.stdout, EVENT_READ)
            while not self._has_ended():
                left = deadline - ticks()
                if self._stopped or left <= 0:
                    return "stopped" if self._stopped else "timeout"
                if selector.select(min(left, _LOOK_EVERY)) and not self._read():
                    selector.unregister(self._program.stdout)
        return "exit"

    def _read(self) -> bool:
        """Take in a piece of output; tell whether there was any."""
        assert self._program.stdout is not None  # noqa: S101 - it is a pipe
        piece = os.read(self._program.stdout.fileno(), _CHUNK)
        self._digest.update(piece)
        self._size += len(piece)
        self._head += piece[: TAIL_BYTES - len(self._head)]
        self._tail = (self._tail + piece)[-TAIL_BYTES:]
        return bool(piece)

    def _has_ended(self) -> bool:
        """Tell whether the program itself is over, if possible without letting its number go.

        As long as nobody has asked for its outcome, no other group can get that number.
        """
        if not hasattr(os, "waitid"):
            return self._program.poll() is not None
        try:
            asked = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self._program.pid, asked) is not None
        except ChildProcessError:
            return True

    def _clean_up(self, *, polite: bool) -> None:
        if polite and not self._has_ended():
            self._signal(signal.SIGTERM)
            end = ticks() + _GRACE
            while not self._has_ended() and ticks() < end:
                sleep(_BETWEEN_SWEEPS)
        self._signal(signal.SIGKILL)
        _sweep(self._mark.encode())
        self._program.wait()
        self._hear_out()
        _tell(self._watcher, b"done\n")
        try:
            self._watcher.wait(_GRACE)
        except TimeoutExpired:
            self._watcher.kill()
            self._watcher.wait()

    def _signal(self, which: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # macOS has the latter for the dead
            os.killpg(self._program.pid, which)

    def _hear_out(self) -> None:
        """Take in what is left in the pipe, but wait for nobody who holds it open."""
        assert self._program.stdout is not None  # noqa: S101 - it is a pipe
        end = ticks() + _LAST_WORDS
        with self._program.stdout, DefaultSelector() as selector:
            selector.register(self._program.stdout, EVENT_READ)
            while (left := end - ticks()) > 0 and selector.select(left) and self._read():
                pass


def _watcher(group: int, mark: str) -> Popen[bytes]:
    return Popen(  # noqa: S603 - our own lines
        [_SHELL, "-c", _WATCHER, "sh", str(group), mark],
        cwd=os.sep,
        start_new_session=True,
        stderr=DEVNULL,
        stdin=PIPE,
        stdout=DEVNULL,
    )


def _tell(program: Popen[bytes], word: bytes) -> None:
    assert program.stdin is not None  # noqa: S101 - it is a pipe
    with suppress(BrokenPipeError), program.stdin:
        program.stdin.write(word)


def _sweep(mark: bytes) -> None:
    """Kill what bears a mark, and what that has started meanwhile; it takes a moment to die."""
    for _ in range(_SWEEPS):
        if not sum(_killed(process, mark) for process in _processes()):
            return
        sleep(_BETWEEN_SWEEPS)


def _processes() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(name) for name in os.listdir(_PROCESSES) if name.isdecimal())


def _killed(process: int, mark: bytes) -> bool:
    """Kill a process if it bears a mark; held meanwhile, so that no other gets its number."""
    with suppress(OSError):
        held = os.pidfd_open(process)
        try:
            with open(f"{_PROCESSES}/{process}/environ", "rb") as file:
                found = mark in file.read()
            if found:
                signal.pidfd_send_signal(held, signal.SIGKILL)
            return found
        finally:
            os.close(held)
    return False
