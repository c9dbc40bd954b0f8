"""JSON-RPC 2.0 as MCP uses it: messages read from bytes, and written."""

from __future__ import annotations

import json
from typing import Any, Final, TypeGuard

from msgspec import Struct

Json = dict[str, Any]
Id = int | str
MESSAGE_BYTES: Final = 4 * 1024 * 1024  # of the longest message
PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
CONNECTION_CLOSED: Final = -32000


class ProtocolError(Exception):
    """The error that answers a request."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data

    def to_json(self) -> Json:
        """Return the error as it is sent."""
        error: Json = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}


class Request(Struct, frozen=True):
    """A message that is to be answered."""

    id: Id
    method: str
    params: Json


class Notification(Struct, frozen=True):
    """A message that is not answered."""

    method: str
    params: Json


class Response(Struct, frozen=True):
    """An answer to a request of ours: its result, or its error."""

    id: Id
    result: Json | None = None
    error: Json | None = None


class Malformed(Struct, frozen=True):
    """What is no message, and the error that answers it; the id is None if it has no valid one."""

    id: Id | None
    code: int
    problem: str


Message = Request | Notification | Response | Malformed
TOO_LARGE: Final = Malformed(None, INVALID_REQUEST, "Request too large")
_NO_JSON: Final = Malformed(None, PARSE_ERROR, "Parse error")


def read_message(data: bytes) -> Message:
    """Read one message; never raises."""
    try:
        message = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return _NO_JSON
    if not isinstance(message, dict):
        return _invalid(None)
    number = message.get("id") if is_id(message.get("id")) else None
    if b"\\u" in data and not _is_text(message):
        return _invalid(number if _is_text(number) else None)
    if message.get("jsonrpc") != "2.0":
        return _invalid(number)
    if "method" in message or not {"result", "error"} & {*message}:
        return _read_request(message, number)
    return _read_response(message, number)


def _read_request(message: Json, number: Id | None) -> Request | Notification | Malformed:
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str) or not isinstance(params, dict | None):
        return _invalid(number)
    if number is not None:
        return Request(number, method, params or {})
    return _invalid(None) if "id" in message else Notification(method, params or {})


def _read_response(message: Json, number: Id | None) -> Response | Malformed:
    result, error = message.get("result"), message.get("error")
    if number is None or isinstance(result, dict) == isinstance(error, dict):
        return _invalid(None)  # its id is one of ours
    return Response(number, result, error)


def is_id(value: object) -> TypeGuard[Id]:
    """Return whether a value can be the id of a request: a string or an integer."""
    return type(value) in (int, str)


def _invalid(number: Id | None) -> Malformed:
    return Malformed(number, INVALID_REQUEST, "Invalid request")


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


def _is_text(value: object) -> bool:
    """Return whether all strings in JSON can be encoded: none has half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def write_result(number: Id, result: Json) -> bytes:
    """Return the line that answers a request; an error if the result cannot be encoded."""
    try:
        return _encode(id=number, result=result)
    except ValueError:
        return write_error(number, INTERNAL_ERROR, "The answer cannot be written as JSON")


def write_error(number: Id | None, code: int, problem: str, data: object = None) -> bytes:
    """Return the line that answers a request with an error."""
    return _encode(id=number, error=ProtocolError(code, problem, data).to_json())


def write_request(number: Id, method: str, params: Json) -> bytes:
    """Return the line of a request of ours."""
    return _encode(id=number, method=method, params=params)


def write_notification(method: str, params: Json) -> bytes:
    """Return the line of a notification."""
    return _encode(method=method, params=params)


def _encode(**members: object) -> bytes:
    message = {"jsonrpc": "2.0", **members}
    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode()
