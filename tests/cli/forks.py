"""Start the command `outlast` as a fork of a process that has imported it.

That takes a tenth of what an interpreter takes. The parent of a command is then the fork server,
with the limits, the umask and the user that this process had at the first start. What is about the
start itself, encodings, signals or kills is tested with an interpreter, by `subprocess`.
"""

import atexit
import json
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock

from tests.cli import fork_server
from tests.cli.fork_server import NUMBER

HANG = 60  # seconds after which a command is given up
_PART = 1 << 16


class Fork:
    """A command at work, with the number of its process."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self.pid = self._read()
        self.returncode: int | None = None

    def wait(self, timeout: float = HANG) -> int:
        """Return the exit code, negative for a signal; kill a command that takes longer."""
        if self.returncode is None:
            is_late = not select.select([self._pipe], [], [], max(0.0, timeout))[0]
            if is_late:
                os.kill(self.pid, signal.SIGKILL)
            self.returncode = os.waitstatus_to_exitcode(self._read())
            os.close(self._pipe)
            assert not is_late, "the command hangs"
        return self.returncode

    def _read(self) -> int:
        number = os.read(self._pipe, NUMBER)
        assert number, "the fork server has ended"
        return int.from_bytes(number)


class _Server:
    def __init__(self, variables: Mapping[str, str]) -> None:
        self._lock = Lock()
        self._socket, its = socket.socketpair()
        with its:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, fork_server.__file__, str(its.fileno())],
                env=variables,
                pass_fds=[its.fileno()],
                stdin=subprocess.DEVNULL,
            )

    def start(self, request: bytes, streams: Sequence[int]) -> Fork:
        ours, its = os.pipe()
        try:
            with self._lock:
                header = len(request).to_bytes(NUMBER)
                socket.send_fds(self._socket, [header], [*streams, its])
                self._socket.sendall(request)
        finally:
            os.close(its)
        return Fork(ours)

    def stop(self) -> None:
        self._socket.close()
        self._process.wait()


@cache
def _server(interpreter: frozenset[tuple[str, str]]) -> _Server:
    """Return the server for the variables that an interpreter reads when it starts."""
    kept = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    server = _Server({**kept, **dict(interpreter)})
    atexit.register(server.stop)
    return server


def start(
    cwd: Path,
    arguments: Sequence[str | bytes],
    variables: Mapping[str, str],
    streams: Sequence[int],
) -> Fork:
    """Start the command with these standard streams, which stay open here."""
    interpreter = {
        name: value
        for name, value in variables.items()
        if name.startswith(("LC_", "LANG", "PYTHON"))
    }
    request = {
        "arguments": [*map(os.fsdecode, arguments)],
        "cwd": str(cwd),
        "variables": dict(variables),
    }
    return _server(frozenset(interpreter.items())).start(json.dumps(request).encode(), streams)


def run(
    cwd: Path, arguments: Sequence[str | bytes], variables: Mapping[str, str], given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run the command to its end, which is also that of whatever holds its streams."""
    (stdin, to_stdin), (from_stdout, stdout), (from_stderr, stderr) = (os.pipe() for _ in range(3))
    process = start(cwd, arguments, variables, (stdin, stdout, stderr))
    for descriptor in (stdin, stdout, stderr):
        os.close(descriptor)
    latest = time.monotonic() + HANG
    printed = {from_stdout: bytearray(), from_stderr: bytearray()}
    _exchange(process, to_stdin, given, printed, latest)
    code = process.wait(latest - time.monotonic())
    out, error = map(bytes, printed.values())
    return subprocess.CompletedProcess(["outlast", *arguments], code, out, error)


def _exchange(
    process: Fork, to_stdin: int, given: bytes, printed: dict[int, bytearray], latest: float
) -> None:
    """Write what is given, and read to the end; both sides wait for neither."""
    rest = memoryview(given)
    with selectors.PollSelector() as selector:
        os.set_blocking(to_stdin, False)
        selector.register(to_stdin, selectors.EVENT_WRITE)
        for descriptor in printed:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, latest - time.monotonic()))
            if not ready:
                process.wait(0)
            for key, _ in ready:
                if key.fd == to_stdin:
                    with suppress(BrokenPipeError):  # nobody reads it
                        rest = rest[os.write(to_stdin, rest[:_PART]) if rest else 0 :]
                        if rest:
                            continue
                elif part := os.read(key.fd, _PART):
                    printed[key.fd] += part
                    continue
                selector.unregister(key.fd)
                os.close(key.fd)
