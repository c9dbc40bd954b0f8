"""Runs the command `outlast` in forks of one process that has imported the program.

`tests.cli.forks` starts it with the number of a socket. A request names the arguments, the
directory and the variables, and brings four file descriptors: the three streams, and a pipe that is
told the number of the process, and later how it ended.
"""

import importlib
import io
import json
import locale
import os
import pkgutil
import runpy
import select
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TextIO

NUMBER: Final = 8  # bytes of a number: the length of a request, a process, how it ended
STREAMS: Final = 3
# What only a few commands need and takes long; and the program itself, which is run as a module.
_LEFT_OUT: Final = (
    "outlast.__main__",
    "outlast.agent.models.providers",
    "outlast.integrations",
    "outlast.mcp",
    "outlast.testing",
)


def serve(server: socket.socket) -> bool:
    """Serve until the other end is closed. Return twice for each request: True in the fork."""
    waiting: dict[int, tuple[int, int]] = {}  # each process, and the pipe of who waits for it
    poll = select.poll()
    poll.register(server, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready in waiting:
                poll.unregister(ready)
                _report_end(ready, *waiting.pop(ready))
                continue
            received = _receive(server)
            if received is None:
                return False
            request, (*streams, pipe) = received
            process = os.fork()
            if not process:
                server.close()
                for number in (pipe, *waiting, *(other for _, other in waiting.values())):
                    os.close(number)
                _become(request, streams)
                return True
            for stream in streams:
                os.close(stream)
            ended = os.pidfd_open(process)
            waiting[ended] = process, pipe
            poll.register(ended, select.POLLIN)
            _tell(pipe, process)


def import_program() -> None:
    """Import what commands need, in the order of a start."""
    import outlast  # noqa: PLC0415 - this process is about its import
    from outlast.system.startup import start_quickly  # noqa: PLC0415

    start_quickly()
    for module in pkgutil.walk_packages(outlast.__path__, "outlast."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)
    assert len([*Path("/proc/self/task").iterdir()]) == 1, "a fork keeps one thread of several"


def _receive(server: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    header, descriptors, _, _ = socket.recv_fds(server, NUMBER, STREAMS + 1)
    if not header:
        return None
    size, parts = int.from_bytes(header), bytearray()
    while len(parts) < size:
        parts += server.recv(size - len(parts))
    return json.loads(parts), descriptors


def _report_end(ended: int, process: int, pipe: int) -> None:
    os.close(ended)
    _tell(pipe, os.waitpid(process, 0)[1])
    os.close(pipe)


def _tell(pipe: int, number: int) -> None:
    with suppress(BrokenPipeError):  # nobody waits any more
        os.write(pipe, number.to_bytes(NUMBER))


def _become(request: dict[str, Any], streams: list[int]) -> None:
    """Make this fork what `python -m outlast` is when it begins."""
    for number, given in enumerate(streams):
        os.dup2(given, number)
        os.close(given)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["variables"])
    time.tzset()
    locale.setlocale(locale.LC_CTYPE, "")
    for name, stream in (
        ("stdin", _reader(sys.stdin)),
        ("stdout", _writer(1, sys.stdout)),
        ("stderr", _writer(2, sys.stderr)),
    ):
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv[1:] = request["arguments"]
    sys.orig_argv[1:] = ["-m", "outlast", *request["arguments"]]
    sys.path.insert(0, str(Path.cwd()))


def _reader(usual: Any) -> TextIO:
    raw = io.FileIO(0, closefd=False)
    raw.name = usual.name
    return io.TextIOWrapper(io.BufferedReader(raw), usual.encoding, usual.errors)


def _writer(number: int, usual: Any) -> TextIO:
    raw = io.FileIO(number, "w", closefd=False)
    raw.name = usual.name
    by_line = usual.name == "<stderr>" or raw.isatty()
    written = io.BufferedWriter(raw)
    return io.TextIOWrapper(written, usual.encoding, usual.errors, "\n", line_buffering=by_line)


if __name__ == "__main__":
    del sys.path[0]  # the directory of this file
    import_program()
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        runpy.run_module("outlast", run_name="__main__", alter_sys=True)
