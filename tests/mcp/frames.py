"""Frames as clients send them, and broken ones made of them."""

import json
import random
from typing import Any

_HELLO = {"capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}
_CALLS: list[dict[str, Any]] = [
    {"name": "add_tasks", "arguments": {"tasks": ["A", {"name": "B", "needs": ["A"]}]}},
    {"name": "complete_task", "arguments": {"task": 1, "result": "ok"}},
    {"name": "plan_details", "arguments": {"about": "tasks", "page": 1}},
    {"name": "todo_write", "arguments": {"todos": [{"content": "x", "status": "pending"}]}},
    {"name": "ask_user", "arguments": {"question": "?"}},
]
_REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("initialize", {"protocolVersion": "2025-11-25", **_HELLO}),
    ("ping", {}),
    ("tools/list", {}),
    ("tools/list", {"cursor": "x"}),
    *(("tools/call", call) for call in _CALLS),
    ("tools/call", {**_CALLS[0], "_meta": _META}),
    ("tools/call", {**_CALLS[4], "_meta": _META, "inputResponses": {"answer": {"action": "x"}}}),
    ("server/discover", {"_meta": _META}),
    ("resources/list", {}),
    ("resources/read", {"uri": "plan://current/brief"}),
    ("resources/subscribe", {"uri": "plan://current"}),
    ("resources/unsubscribe", {"uri": "plan://current"}),
    ("logging/setLevel", {"level": "debug"}),
    ("notifications/cancelled", {"requestId": 1}),
    ("notifications/progress", {"progressToken": 1, "progress": 1}),
]
FRAMES = tuple(
    json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    for number, (method, params) in enumerate(_REQUESTS, 1)
)
_VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**63, 2**200, 1.5, 1e300, "", "\ud800", "\x00", "</plan>", [], {}),
    *([[]], {"": {}}, "x" * 3_000, [1, "a", None], {"name": {"name": []}}),
)
_BYTES = (b"{", b"}", b"[", b'"', b"\\u", b"\xff", b"\x00", b",", b":", b"1e999", b"null", b"NaN")


def mutate(chance: random.Random, frame: bytes) -> bytes:
    """Break a frame: its values, its bytes, or its length."""
    kind = chance.randrange(5)
    if kind <= 1:
        return _mutate_value(chance, frame)
    if kind == 2:
        at = chance.randrange(len(frame))
        return frame[:at] + chance.choice(_BYTES) + frame[at + chance.randrange(3) :]
    if kind == 3:
        return frame[: chance.randrange(len(frame))]
    return chance.choice((b"[" * 5_000, b'{"a":' * 5_000, b"[" + frame + b"]", frame * 2))


def _mutate_value(chance: random.Random, frame: bytes) -> bytes:
    message: Any = json.loads(frame)
    place = message
    while isinstance(place, dict) and place:
        key = chance.choice([*place])
        if not isinstance(place[key], dict) or chance.random() < 0.4:
            if chance.random() < 0.2:
                del place[key]
            else:
                place[key] = chance.choice(_VALUES)
            break
        place = place[key]
    return json.dumps(message).encode()
