"""One client on the standard streams: its two ends, and the thread that reads its messages.

The standard output carries nothing but the protocol. Whatever else writes to it, such as a check or
a library, writes to the standard error.

Importing the SDK takes most of a second. A host starts its servers and drops, or works without,
those that are not ready. So the handshake and the lists are answered from what is known without
the SDK, in the very form that it has.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

from outlast.mcp.service import HANDSHAKE_VERSIONS, Service
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Queue
    from collections.abc import Callable


Json = dict[str, Any]
Id = int | str
MESSAGE_BYTES: Final = 4 * 1024 * 1024  # as over HTTP
_READ_BYTES: Final = 64 * 1024
_TOO_LONG: Final = (-32600, "Request too large")


class EarlyAnswers:
    """Answers to the first messages of one connection.

    The SDK gets the handshake too, since it keeps what the client has said of itself; what it
    answers then has been sent already: `skip_answer` tells.
    """

    def __init__(self, service: Service) -> None:
        """Answer for a service."""
        self._handshake: Id | None = None
        self._lists: Final[dict[str, Callable[[], Json]]] = {
            "ping": dict,
            "tools/list": service.tools,
            "resources/list": service.resources,
            "resources/templates/list": service.templates,
        }
        self._service = service

    def answer(self, line: bytes) -> tuple[bytes | None, bool]:
        """Return the answer to a message, if it can be given, and whether the SDK needs it too."""
        request = read_request(line)
        if request is None:
            return None, True
        method, params = request["method"], request.get("params")
        if method == "initialize":
            result = None if self._handshake is not None else self._begin(request["id"], params)
            return (None if result is None else _encode(request["id"], result)), True
        if self._handshake is None or method not in self._lists or params not in (None, {}):
            return None, True
        return _encode(request["id"], self._lists[method]()), False

    def skip_answer(self, number: object) -> bool:
        """Return whether the SDK's answer to a request must not be sent too; that is so once."""
        if number is None or number != self._handshake:
            return False
        self._handshake = None
        return True

    def _begin(self, number: Id, params: Any) -> Json | None:  # noqa: ANN401 - as a client sends it
        """Return the answer to a handshake, if it is one that the SDK is known to accept."""
        if not isinstance(params, dict):
            return None
        version: Any = params.get("protocolVersion")
        client = params.get("clientInfo")
        capabilities = params.get("capabilities")
        if version not in HANDSHAKE_VERSIONS or "_meta" in params:
            return None
        if not _has_values(client, str, "name", "version") or not _has_values(capabilities, dict):
            return None
        self._handshake = number
        return self._service.handshake(version)


def read_request(line: bytes) -> Json | None:
    """Return a message if it is a request in the form of JSON-RPC; the SDK judges all others."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    is_request = type(message.get("id")) in (int, str) and isinstance(message.get("method"), str)
    return message if is_request else None


def _has_values(value: object, kind: type, *names: str) -> bool:
    if not isinstance(value, dict) or not value.keys() >= {*names}:
        return False
    return all(isinstance(item, kind) for item in value.values())


def _encode(number: Id, result: Json) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()


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
