"""HTTP clients for model servers, with limited responses and no foreign credentials."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import httpx2
from httpx2 import AsyncByteStream, Response

from outlast.errors import ModelFailed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from ssl import SSLContext


_LOCAL_HOSTS: Final = ("all://127.0.0.1", "all://localhost", "all://[::1]")
_ALLOWED_HEADERS: Final = ("host", "connection", "transfer-encoding", "user-agent")
_ALLOWED_PREFIXES: Final = ("accept", "content-", "x-stainless-")
_MAX_LINE: Final = 1024 * 1024  # bytes of one event; clients rescan a longer one with each piece


def open_client(seconds: float, max_bytes: int, key: str | None = None) -> httpx2.AsyncClient:
    """Return an HTTP client whose responses have at most `max_bytes`.

    With a key, even an empty one, all other credentials from the environment are stripped. Local
    servers are reached without a proxy.
    """
    return httpx2.AsyncClient(
        timeout=seconds,
        verify=_ssl_context(),
        headers={"accept-encoding": "identity"},
        mounts=dict.fromkeys(_LOCAL_HOSTS),
        event_hooks={
            "request": [] if key is None else [_strip_headers(key)],
            "response": [limit_response(max_bytes)],
        },
    )


def _strip_headers(key: str) -> Callable[[httpx2.Request], Awaitable[None]]:
    """Return a hook that removes unknown headers and sets the key, if there is one.

    The OpenAI client sends OpenAI credentials from the environment to any server.
    """

    async def hook(request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name not in _ALLOWED_HEADERS and not name.startswith(_ALLOWED_PREFIXES):
                del request.headers[name]
        if key:
            request.headers["authorization"] = f"Bearer {key}"

    return hook


@cache
def _ssl_context() -> SSLContext:
    return httpx2.create_ssl_context()


def limit_response(max_bytes: int) -> Callable[[Response], Awaitable[None]]:
    """Return a hook that raises `ModelFailed` when a response exceeds `max_bytes`.

    A compressed response is refused, because it may expand a thousandfold.
    """

    async def hook(response: Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise ModelFailed("model_garbled", model="", problem="content-encoding")
        kind = response.headers.get("content-type", "")
        max_line = min(_MAX_LINE, max_bytes) if kind.startswith("text/event-stream") else max_bytes
        if isinstance(response.stream, AsyncByteStream):
            response.stream = _LimitedStream(response.stream, max_bytes, max_line)

    return hook


class _LimitedStream(AsyncByteStream):
    def __init__(self, stream: AsyncByteStream, max_bytes: int, max_line: int) -> None:
        self._stream, self._max_bytes, self._max_line = stream, max_bytes, max_line

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = line_length = 0
        async for piece in self._stream:
            received += len(piece)
            end = piece.rfind(b"\n")
            line_length = len(piece) - 1 - end + (line_length if end < 0 else 0)
            if received > self._max_bytes or line_length > self._max_line:
                raise ModelFailed("model_too_much", model="", most=min(self._max_bytes, received))
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
