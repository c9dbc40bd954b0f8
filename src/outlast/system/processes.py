"""Run a program under a time limit so that nothing of it is left behind.

The program runs in a session and process group of its own. When it ends, or its time is up, the
whole group is killed. A second small process, the watcher, waits on a pipe that only we hold open
and kills the group when we are killed ourselves. The program does not start before its watcher.

A process that leaves the group (`setsid`) is found on Linux by a mark in its environment, and
killed too. On other systems, or if it clears its environment as well, it is out of reach. The mark
names the process that started the program, so that others can end what that one left behind.

On Linux the program cannot read our memory or our environment (`/proc/PID/environ`, `ps eww`),
unless it runs as root. On macOS it can.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from contextvars import ContextVar
from hashlib import sha256
from selectors import EVENT_READ, DefaultSelector
from subprocess import DEVNULL, PIPE, STDOUT, Popen
from time import sleep
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from msgspec import Struct

from outlast.system.caller import MARK
from outlast.system.clock import monotonic
from outlast.system.logs import LOG
from outlast.system.process_identity import identify_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from threading import Event

T = TypeVar("T")
_CALL_STOP: ContextVar[Event | None] = ContextVar("stop of a call", default=None)
TAIL_BYTES: Final = 64 * 1024
_SHELL: Final = "/bin/sh"
_PROCESSES: Final = "/proc"
_CHUNK: Final = 64 * 1024
_POLL_SECONDS: Final = 0.05  # between two looks for what no descriptor shows: that we shall stop
_FIRST_POLL_SECONDS: Final = 0.001  # after output, where the end must be polled for as well
_GRACE_SECONDS: Final = 1.0  # between SIGTERM and SIGKILL
_DRAIN_SECONDS: Final = 0.2  # for output that others may still write into the pipe
_PIPE_BYTES: Final = 1024 * 1024  # that a pipe can hold, unless root has made it larger
_SET_DUMPABLE: Final = 4  # PR_SET_DUMPABLE of prctl(2)
_SWEEPS: Final = 50
_BETWEEN_SWEEPS: Final = 0.01

# Runs its arguments once it gets a line. If we die before, it gets none and ends.
_GATE_SCRIPT: Final = 'IFS= read -r go && exec "$@" </dev/null'

# Waits until we kill it. If its input ends we are dead: it kills a group and all marked processes.
_WATCHER_SCRIPT: Final = r"""
IFS= read -r word
kill -s KILL -- "-$1"
for round in 1 2 3 4 5 6 7 8 9; do
    marked=$(grep -ls -- "$2" /proc/[0-9]*/environ)
    [ -n "$marked" ] || exit
    for path in $marked; do
        path=${path#/proc/}
        kill -s KILL "${path%/environ}"
    done
done
"""

EndReason = Literal["exit", "timeout", "stopped"]


class ProcessResult(Struct, frozen=True):
    """How a program ended; `digest` and `size` are of its whole output.

    A negative code is the signal that killed it.
    """

    how: EndReason
    code: int
    tail: bytes
    digest: str
    head: bytes = b""
    size: int = 0


def forbid_inspection() -> None:
    """Keep other processes of the same user from reading our memory and environment.

    Called before each program that may be an agent's; Linux only, and root reads them all the same.
    The kernel then treats us as it treats a program with other rights: no core dump is written,
    and debuggers and profilers cannot attach. Our own access to `/proc/self/fd` stays, that to
    `/proc/self/environ` and `/proc/self/mem` goes. A program that we start is readable again.
    """
    if sys.platform != "linux":
        return
    from ctypes import CDLL, get_errno

    if CDLL(None, use_errno=True).prctl(_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        problem = os.strerror(get_errno())
        LOG.warning("programs that we start can read our environment: prctl: %s", problem)


def open_pidfd(process: int) -> int | None:
    """Return a descriptor that becomes readable when a child ends; None if the system has none.

    Linux has them since 5.3; a sandbox may forbid them.
    """
    try:
        return os.pidfd_open(process)
    except (AttributeError, OSError):
        return None


def run_stoppable(call: Callable[[], T], stop: Event) -> T:
    """Make a call; once `stop` is set, whatever program it runs or would run then is stopped."""
    token = _CALL_STOP.set(stop)
    try:
        return call()
    finally:
        _CALL_STOP.reset(token)


class RunningProcess:
    """A program that runs; another thread may stop it."""

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        arguments: Sequence[str],
        cwd: str,
        *,
        environment: Mapping[str, str],
        pass_fds: Sequence[int] = (),
        on_output: Callable[[bytes], object] | None = None,
        watch_end: Callable[[int], int | None] = open_pidfd,
        poll_seconds: float = _POLL_SECONDS,
    ) -> None:
        """Prepare a program without input, with its errors in its output.

        It inherits the open files in `pass_fds`. `on_output` gets each piece of output as it comes,
        in the thread that waits. Its end is seen at once; where `watch_end` gives no descriptor of
        it, after at most `poll_seconds`, as it always is with `stop`.
        """
        forbid_inspection()
        self._mark = f"{_mark_of(identify_process())}{os.urandom(16).hex()}"
        self._stopped, self._call_stop = False, _CALL_STOP.get()
        self._on_output, self._watch_end, self._poll_seconds = on_output, watch_end, poll_seconds
        self._head, self._tail, self._size, self._digest = b"", b"", 0, sha256()
        self._program = Popen(  # noqa: S603 - a person has allowed this command
            [_SHELL, "-c", _GATE_SCRIPT, "sh", *arguments],
            cwd=cwd,
            env={**environment, self._mark: "1"},
            pass_fds=pass_fds,
            start_new_session=True,
            stderr=STDOUT,
            stdin=PIPE,
            stdout=PIPE,
        )
        try:
            self._watcher = _start_watcher(self._program.pid, self._mark)
        except BaseException:
            self._program.kill()
            self._program.communicate()
            raise

    def stop(self) -> None:
        """Stop the program."""
        self._stopped = True

    @property
    def _is_stopped(self) -> bool:
        return self._stopped or (self._call_stop is not None and self._call_stop.is_set())

    def wait(self, seconds: float) -> ProcessResult:
        """Run the program for at most so many seconds; nothing of it is left when this returns."""
        how: EndReason = "stopped"
        try:
            _send(self._program, b"" if self._is_stopped else b"go\n")
            how = self._read_until_end(monotonic() + seconds)
        finally:
            self._clean_up(polite=how != "exit")
        code, digest = self._program.returncode, self._digest.hexdigest()
        return ProcessResult(how, code, self._tail, digest, self._head, self._size)

    def _read_until_end(self, deadline: float) -> EndReason:
        """Read the output until the program ends, is stopped, or times out."""
        output, end = self._program.stdout, self._watch_end(self._program.pid)
        assert output is not None  # noqa: S101 - it is a pipe
        pause = shortest = _FIRST_POLL_SECONDS if end is None else self._poll_seconds
        try:
            with DefaultSelector() as selector:
                selector.register(output, EVENT_READ)
                if end is not None:
                    selector.register(end, EVENT_READ)
                while not self._has_ended():
                    left = deadline - monotonic()
                    if self._is_stopped or left <= 0:
                        return "stopped" if self._is_stopped else "timeout"
                    ready = {key.fileobj for key, _ in selector.select(min(left, pause))}
                    if output in ready and not self._read_chunk():
                        selector.unregister(output)
                    pause = shortest if ready else min(2 * pause, self._poll_seconds)
        finally:
            if end is not None:
                os.close(end)
        return "exit"

    def _read_chunk(self) -> bool:
        """Read a piece of output; return whether there was any."""
        assert self._program.stdout is not None  # noqa: S101 - it is a pipe
        piece = os.read(self._program.stdout.fileno(), _CHUNK)
        self._digest.update(piece)
        self._size += len(piece)
        self._head += piece[: TAIL_BYTES - len(self._head)]
        self._tail = (self._tail + piece)[-TAIL_BYTES:]
        if piece and self._on_output is not None:
            self._on_output(piece)
        return bool(piece)

    def _has_ended(self) -> bool:
        """Return whether the program has ended, if possible without reaping it.

        Until it is reaped, no other process group can get its number.
        """
        if not hasattr(os, "waitid"):
            return self._program.poll() is not None
        try:
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self._program.pid, options) is not None
        except ChildProcessError:
            return True

    def _clean_up(self, *, polite: bool) -> None:
        if polite and not self._has_ended():
            self._signal(signal.SIGTERM)
            end = monotonic() + _GRACE_SECONDS
            while not self._has_ended() and monotonic() < end:
                sleep(_BETWEEN_SWEEPS)
        self._signal(signal.SIGKILL)
        _kill_marked(self._mark.encode())
        self._program.wait()
        self._drain_output()
        self._watcher.kill()  # before its input ends
        self._watcher.wait()
        assert self._watcher.stdin is not None  # noqa: S101 - it is a pipe
        self._watcher.stdin.close()

    def _signal(self, which: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # the latter on macOS
            os.killpg(self._program.pid, which)

    def _drain_output(self) -> None:
        """Read what is left in the pipe, however slowly, and nothing that others write later.

        It may be the report of an agent: what the program wrote before its end must not be lost on
        a busy machine.
        """
        assert self._program.stdout is not None  # noqa: S101 - it is a pipe
        end, written = monotonic() + _DRAIN_SECONDS, self._size + _PIPE_BYTES
        with self._program.stdout, DefaultSelector() as selector:
            selector.register(self._program.stdout, EVENT_READ)
            while (left := end - monotonic()) > 0 or self._size < written:
                if not (selector.select(max(left, 0.0)) and self._read_chunk()):
                    return


def kill_programs_of(process: str) -> None:
    """Kill every program that a process has started here, with all that these have started.

    That process has ended or was stopped; its own watcher may not have come to it yet. If we are
    among those programs ourselves, nothing is done.
    """
    mark = _mark_of(process)
    if process and not any(name.startswith(mark) for name in os.environ):
        _kill_marked(mark.encode())


def _mark_of(process: str) -> str:
    return f"{MARK}{process}_"


def _start_watcher(group: int, mark: str) -> Popen[bytes]:
    return Popen(  # noqa: S603 - our own script
        [_SHELL, "-c", _WATCHER_SCRIPT, "sh", str(group), mark],
        cwd=os.sep,
        env={"PATH": os.defpath},
        start_new_session=True,
        stderr=DEVNULL,
        stdin=PIPE,
        stdout=DEVNULL,
    )


def _send(program: Popen[bytes], word: bytes) -> None:
    assert program.stdin is not None  # noqa: S101 - it is a pipe
    with suppress(BrokenPipeError), program.stdin:
        program.stdin.write(word)


def _kill_marked(mark: bytes) -> None:
    """Kill all processes with a mark, and those that they have started meanwhile."""
    for _ in range(_SWEEPS):
        if not sum(_kill_if_marked(process, mark) for process in _process_ids()):
            return
        sleep(_BETWEEN_SWEEPS)


def _process_ids() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(name) for name in os.listdir(_PROCESSES) if name.isdecimal())


def _kill_if_marked(process: int, mark: bytes) -> bool:
    """Kill a process if it has a mark; a pidfd keeps its number from being reused meanwhile."""
    if not _is_marked(process, mark):
        return False
    with suppress(OSError):
        pidfd = os.pidfd_open(process)
        try:
            if _is_marked(process, mark):  # this one, and no other with the number
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                return True
        finally:
            os.close(pidfd)
    return False


def _is_marked(process: int, mark: bytes) -> bool:
    with suppress(OSError), open(f"{_PROCESSES}/{process}/environ", "rb", buffering=0) as file:
        return mark in file.read()
    return False
