"""Connections to the servers of models: bounded, and without what they need not know."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import httpx2

from outlast.adapters.models.providers.response_limit import capped

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from ssl import SSLContext

_HERE: Final = ("all://127.0.0.1", "all://localhost", "all://[::1]")
_KEPT: Final = ("host", "connection", "transfer-encoding", "user-agent")
_KINDS: Final = ("accept", "content-", "x-stainless-")


def connection(seconds: float, most: int, key: str | None = None) -> httpx2.AsyncClient:
    """Return what requests are sent with; answers may have so many bytes.

    With a key, even an empty one, nothing else of the environment is sent along. Servers on this
    machine are asked without a proxy.
    """
    return httpx2.AsyncClient(
        timeout=seconds,
        verify=_certificates(),
        headers={"accept-encoding": "identity"},
        mounts=dict.fromkeys(_HERE),
        event_hooks={
            "request": [] if key is None else [_plain(key)],
            "response": [capped(most)],
        },
    )


def _plain(key: str) -> Callable[[httpx2.Request], Awaitable[None]]:
    """Return a hook that leaves a request its own headers and a key, if there is one.

    What the environment has for OpenAI, its client sends along wherever it is sent.
    """

    async def hook(request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name not in _KEPT and not name.startswith(_KINDS):
                del request.headers[name]
        if key:
            request.headers["authorization"] = f"Bearer {key}"

    return hook


@cache
def _certificates() -> SSLContext:
    return httpx2.create_ssl_context()
