"""Faults of a model server: wrong answers and broken connections."""

from __future__ import annotations

import gzip
import socket
import struct
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct, json

from outlast.context.chat_model import Call, Reply

if TYPE_CHECKING:
    from collections.abc import Iterable
    from threading import Event
    from types import ModuleType

    from outlast.testing.model_http.request import ModelRequest, StreamEvent

FaultKind = Literal[
    "status",
    "garbage",
    "wrong_shape",
    "nan",
    "huge",
    "drip",
    "hang",
    "reset",
    "cut",
    "empty",
    "wrong_type",
    "packed",
]
JSON: Final = "application/json"
STREAM: Final = "text/event-stream"
_BLOCK: Final = b"x" * 65_536
_SPECIAL: Final = "~nan~"
_UNPACKED: Final = 50_000_000
_PAUSE: Final = 0.05


class Fault(Struct, frozen=True):
    """A fault of the next `times` requests.

    `status`, `retry_after` (the header value) and `message` apply to the kind "status".
    """

    kind: FaultKind
    status: int = 500
    retry_after: str = ""
    message: str = "it is not to be"
    times: int = 1


class HttpAnswer(Struct, frozen=True):
    """An HTTP response; a stream has no content length."""

    body: bytes
    content_type: str = JSON
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    has_length: bool = True


def regular_answer(protocol: ModuleType, reply: Reply, request: ModelRequest) -> HttpAnswer:
    """Return a correct answer."""
    if request.stream:
        body = encode_stream(protocol.stream_events(reply, request))
        return HttpAnswer(body, STREAM, has_length=False)
    return HttpAnswer(json.encode(protocol.full_response(reply, request)))


def encode_stream(pieces: Iterable[StreamEvent]) -> bytes:
    """Encode events as server-sent events."""
    lines = []
    for kind, data in pieces:
        payload = data if isinstance(data, str) else json.encode(data).decode()
        lines.append((f"event: {kind}\n" if kind else "") + f"data: {payload}\n\n")
    return "".join(lines).encode()


def faulty_answer(fault: Fault, protocol: ModuleType, request: ModelRequest) -> HttpAnswer:
    """Return the answer of a fault that only sends wrong bytes."""
    if fault.kind == "status":
        header = (("retry-after", fault.retry_after),) if fault.retry_after else ()
        body = json.encode(protocol.error_body(fault.status, fault.message))
        return HttpAnswer(body, status=fault.status, headers=header)
    if fault.kind == "nan":
        return _nan_answer(protocol, request)
    if fault.kind == "wrong_type":
        return HttpAnswer(b"<html><body>Welcome to the hotel's network</body></html>", "text/html")
    packed = (("content-encoding", "gzip"),) if fault.kind == "packed" else ()
    kind = STREAM if request.stream else JSON
    return HttpAnswer(_body(fault.kind, protocol, stream=request.stream), kind, headers=packed)


def _body(kind: FaultKind, protocol: ModuleType, *, stream: bool) -> bytes:
    match kind:
        case "garbage":
            return b'data: {"\xff\xfe<<< \x00not json\n\n'
        case "wrong_shape" if stream:
            return encode_stream(protocol.WRONG_SHAPE_EVENTS)
        case "wrong_shape":
            return json.encode(protocol.WRONG_SHAPE)
        case "packed":
            return gzip.compress(b" " * _UNPACKED)
    return b""


def _nan_answer(protocol: ModuleType, request: ModelRequest) -> HttpAnswer:
    """Return a call with NaN, which JSON cannot represent."""
    good = regular_answer(protocol, Reply(calls=(Call("write_file", {"n": _SPECIAL}),)), request)
    body = good.body
    for written in (f'\\"{_SPECIAL}\\"', f'"{_SPECIAL}"'):  # within a string, and alone
        body = body.replace(written.encode(), b"NaN")
    return HttpAnswer(body, good.content_type, has_length=good.has_length)


def reset(connection: socket.socket) -> None:
    """Reset a connection (TCP RST)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def flood(connection: socket.socket, *, stream: bool) -> int:
    """Send an endless answer until the client closes; return the bytes sent."""
    kind = STREAM if stream else JSON
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n"
    sent = 0
    try:
        connection.sendall(head.encode() + (b'data: {"x": "' if stream else b'{"x": "'))
        while True:
            connection.sendall(_BLOCK)
            sent += len(_BLOCK)
    except OSError:
        return sent


def drip(connection: socket.socket, answer: HttpAnswer, stop_event: Event) -> None:
    """Send an answer byte by byte, with a pause after each."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {answer.content_type}\r\nconnection: close\r\n\r\n"
    try:
        connection.sendall(head.encode())
        for byte in answer.body:
            if stop_event.wait(_PAUSE):
                return
            connection.sendall(bytes([byte]))
    except OSError:
        return
