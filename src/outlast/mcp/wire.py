"""The two ends of a client on the standard streams, and the thread that reads its messages."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Final, Self

from outlast.system.logs import LOG

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Queue

    from outlast.mcp.early import EarlyAnswers

MESSAGE_BYTES: Final = 4 * 1024 * 1024  # as over HTTP
_READ_BYTES: Final = 64 * 1024
_TOO_LONG: Final = (-32600, "Request too large")


class Wire:
    """The two ends of the client, taken away from everything else in this process."""

    def __enter__(self) -> Self:
        self.source, self._target = os.dup(0), os.dup(1)
        for end in (self.source, self._target):
            os.set_blocking(end, True)  # a client may share its end of a socket or a terminal
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self._lock = Lock()
        return self

    def __exit__(self, *_error: object) -> None:
        os.dup2(self._target, 1)  # the other one stays open: a thread may still be writing to it

    def send(self, line: bytes) -> None:
        """Write one message; block while the client does not read.

        A client that reads no more ends the connection by closing its end.
        """
        data = memoryview(line + b"\n")
        with self._lock, suppress(OSError):
            while data:
                data = data[os.write(self._target, data) :]

    def send_error(self, number: object, error: tuple[int, str]) -> None:
        """Answer that a request has failed; a message that is none has the number None."""
        code, problem = error
        answer = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": problem}}
        self.send(json.dumps(answer).encode())


class Reader:
    """Reads messages in a thread: answers the first ones itself, and keeps the rest for the SDK."""

    def __init__(self, wire: Wire, early: EarlyAnswers) -> None:
        self._wire, self.early = wire, early
        self._lock = Lock()
        self._kept: list[bytes | None] = []
        self._loop: AbstractEventLoop | None = None
        self._queue: Queue[bytes | None] | None = None

    def run(self) -> None:
        """Read until the client closes its end."""
        rest, is_skipping = b"", False
        while data := self._read():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if is_skipping:
                    is_skipping = False
                elif line.strip():
                    self._take(line)
            if len(rest) > MESSAGE_BYTES:
                if not is_skipping:
                    self._wire.send_error(None, _TOO_LONG)
                rest, is_skipping = b"", True
        if rest.strip() and not is_skipping:
            self._take(rest)
        self._pass_on(None)

    def _read(self) -> bytes:
        try:
            return os.read(self._wire.source, _READ_BYTES)
        except OSError:
            return b""

    def _take(self, line: bytes) -> None:
        answer, is_needed = None, True
        if self._queue is None:
            try:
                answer, is_needed = self.early.answer(line)
            except Exception:
                LOG.exception("a message could not be answered early")
        if answer is not None:
            self._wire.send(answer)
        if is_needed:
            self._pass_on(line)

    def _pass_on(self, line: bytes | None) -> None:
        with self._lock:
            if self._queue is None or self._loop is None:
                self._kept.append(line)
            else:
                with suppress(RuntimeError):  # the loop has ended
                    self._loop.call_soon_threadsafe(self._queue.put_nowait, line)

    def hand_over(self) -> Queue[bytes | None]:
        """Return the messages that were kept, and from now on every other one."""
        from asyncio import Queue, get_running_loop

        with self._lock:
            self._loop, self._queue = get_running_loop(), Queue()
            for line in self._kept:
                self._queue.put_nowait(line)
            return self._queue
