"""What can go wrong between a model and whoever asks it."""

from __future__ import annotations

import gzip
import socket
import struct
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct, json

from outlast.ports.model import Call, Reply

if TYPE_CHECKING:
    from collections.abc import Iterable
    from threading import Event
    from types import ModuleType

    from outlast.testing.model_http.asked import Asked, Piece

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
    """One thing that goes wrong with the next `times` requests.

    `status`, `retry_after` (the header, as it is to be written) and what the server `says` belong
    to the kind "status".
    """

    kind: FaultKind
    status: int = 500
    retry_after: str = ""
    says: str = "it is not to be"
    times: int = 1


class Answer(Struct, frozen=True):
    """What is sent back; a stream does not say how long it is."""

    body: bytes
    content_type: str = JSON
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    says_length: bool = True


def regular(protocol: ModuleType, reply: Reply, asked: Asked) -> Answer:
    """Return an answer with which nothing is wrong."""
    if asked.stream:
        return Answer(streamed(protocol.pieces(reply, asked)), STREAM, says_length=False)
    return Answer(json.encode(protocol.whole(reply, asked)))


def streamed(pieces: Iterable[Piece]) -> bytes:
    """Return the events of a stream as they are written."""
    lines = []
    for kind, data in pieces:
        said = data if isinstance(data, str) else json.encode(data).decode()
        lines.append((f"event: {kind}\n" if kind else "") + f"data: {said}\n\n")
    return "".join(lines).encode()


def spoilt(fault: Fault, protocol: ModuleType, asked: Asked) -> Answer:
    """Return an answer with which something is wrong, of those that are merely wrong bytes."""
    if fault.kind == "status":
        header = (("retry-after", fault.retry_after),) if fault.retry_after else ()
        body = json.encode(protocol.error(fault.status, fault.says))
        return Answer(body, status=fault.status, headers=header)
    if fault.kind == "nan":
        return _not_a_number(protocol, asked)
    if fault.kind == "wrong_type":
        return Answer(b"<html><body>Welcome to the hotel's network</body></html>", "text/html")
    packed = (("content-encoding", "gzip"),) if fault.kind == "packed" else ()
    kind = STREAM if asked.stream else JSON
    return Answer(_body(fault.kind, protocol, stream=asked.stream), kind, headers=packed)


def _body(kind: FaultKind, protocol: ModuleType, *, stream: bool) -> bytes:
    match kind:
        case "garbage":
            return b'data: {"\xff\xfe<<< \x00not json\n\n'
        case "wrong_shape" if stream:
            return streamed(protocol.WRONG_PIECES)
        case "wrong_shape":
            return json.encode(protocol.WRONG)
        case "packed":
            return gzip.compress(b" " * _UNPACKED)
    return b""


def _not_a_number(protocol: ModuleType, asked: Asked) -> Answer:
    """Return a call with a number that JSON has no word for."""
    good = regular(protocol, Reply(calls=(Call("write_file", {"n": _SPECIAL}),)), asked)
    body = good.body
    for written in (f'\\"{_SPECIAL}\\"', f'"{_SPECIAL}"'):  # inside a string, and by itself
        body = body.replace(written.encode(), b"NaN")
    return Answer(body, good.content_type, says_length=good.says_length)


def reset(connection: socket.socket) -> None:
    """Break a connection off, so that the other side is told so."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def flood(connection: socket.socket, *, stream: bool) -> int:
    """Send one endless answer until nobody takes it any more; return how many bytes it had."""
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


def drip(connection: socket.socket, answer: Answer, closing: Event) -> None:
    """Send an answer byte by byte, with a pause behind each."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {answer.content_type}\r\nconnection: close\r\n\r\n"
    try:
        connection.sendall(head.encode())
        for byte in answer.body:
            if closing.wait(_PAUSE):
                return
            connection.sendall(bytes([byte]))
    except OSError:
        return
