"""Messages read from bytes, and written."""

import json
from typing import Any

import pytest

from outlast.mcp.json_rpc import (
    Malformed,
    Notification,
    Request,
    Response,
    read_message,
    write_error,
    write_notification,
    write_request,
    write_result,
)


def message(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (message(id=1, method="ping"), Request(1, "ping", {})),
        (message(id="a", method="x", params={"y": [1]}), Request("a", "x", {"y": [1]})),
        (message(id=1, method="ping", params=None), Request(1, "ping", {})),
        (message(id=1, method="ping", result={}), Request(1, "ping", {})),
        (b"\xef\xbb\xbf" + message(id=1, method="ping") + b"\r", Request(1, "ping", {})),
        (message(method="x"), Notification("x", {})),
        (message(id=1, result={"a": 1}), Response(1, {"a": 1})),
        (message(id=1, error={"code": 5}), Response(1, None, {"code": 5})),
        (message(id=1, method="x", params={"y": "\U0001f600"}), Request(1, "x", {"y": "😀"})),
    ],
)
def test_a9_a_message_is_read(data: bytes, expected: object) -> None:
    assert read_message(data) == expected


@pytest.mark.parametrize(
    ("data", "number", "code"),
    [
        (b"{", None, -32700),
        (b"\xff", None, -32700),
        (b"[" * 100_000, None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"y":NaN}}', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"y":' + b"1" * 5_000, None, -32700),
        (b"[]", None, -32600),
        (b"null", None, -32600),
        (b'{"id":3,"method":"x"}', 3, -32600),
        (b'{"jsonrpc":"1.0","id":3,"method":"x"}', 3, -32600),
        (message(), None, -32600),
        (message(id=3), 3, -32600),
        (message(id=3, method=5), 3, -32600),
        (message(id=3, method="x", params=[]), 3, -32600),
        (message(id=None, method="x"), None, -32600),
        (message(id=True, method="x"), None, -32600),
        (message(id=3, method="x", params={"y": "\ud800"}), 3, -32600),
        (message(id="\ud800", method="x"), None, -32600),
        # What answers a request of ours has our id, which must not come back as one of theirs.
        (message(id=3, result=5), None, -32600),
        (message(id=3, error=5), None, -32600),
        (message(id=3, result={}, error={}), None, -32600),
        (message(id=None, result={}), None, -32600),
    ],
)
def test_a9_what_is_no_message_is_an_error_with_the_id_of_its_request(
    data: bytes, number: object, code: int
) -> None:
    found = read_message(data)

    assert isinstance(found, Malformed)
    assert (found.id, found.code) == (number, code)


def test_a9_every_line_is_one_message() -> None:
    text = "two\nlines \u2028 ü"
    lines = [
        write_result(1, {"text": text}),
        write_error(None, -32600, text),
        write_error(1, -32600, text, {"uri": text}),
        write_request(1, "x", {"text": text}),
        write_notification("x", {"text": text}),
    ]

    assert not any(b"\n" in line for line in lines)
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)
    assert [b'"data"' in line for line in lines] == [False, False, True, False, False]


@pytest.mark.parametrize("value", ["\ud800", float("nan"), float("inf")])
def test_a9_a_result_that_is_no_json_is_an_error(value: object) -> None:
    answer = json.loads(write_result(7, {"value": value}))

    assert (answer["id"], answer["error"]["code"]) == (7, -32603)
