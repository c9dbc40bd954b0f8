"""Answers to a client that asks while the SDK is still being imported, for most of a second.

A host starts its servers and drops, or works without, those that are not ready. So the handshake
and the lists are answered from what is known without the SDK, in the very form that it has.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from outlast.mcp.catalog import HANDSHAKE_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.mcp.catalog import Catalog
    from outlast.mcp.served_plans import ServedPlans

Json = dict[str, Any]
Id = int | str


class EarlyAnswers:
    """Answers to the first messages of one connection.

    The SDK gets the handshake too, since it keeps what the client has said of itself; what it
    answers then has been sent already: `skip_answer` tells.
    """

    def __init__(self, catalog: Catalog, plans: ServedPlans) -> None:
        """Answer with a catalog."""
        self._handshake: Id | None = None
        self._lists: Final[dict[str, Callable[[], Json]]] = {
            "ping": dict,
            "tools/list": catalog.tools,
            "resources/list": lambda: catalog.resources(plans),
            "resources/templates/list": catalog.templates,
        }
        self._catalog = catalog

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
        return self._catalog.handshake(version)


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
