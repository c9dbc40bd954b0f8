"""Answers of a server that end when they become too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from httpx2 import AsyncByteStream

from outlast.errors import ModelFailed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from httpx2 import Response

_LINE: Final = 1024 * 1024  # bytes of one event; clients look through a longer one again and again


def capped(most: int) -> Callable[[Response], Awaitable[None]]:
    """Return a hook that lets so many bytes of a response through.

    A packed one is refused: it can hold a thousand times what its bytes say.
    """

    async def hook(response: Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise ModelFailed("model_garbled", model="", problem="content-encoding")
        kind = response.headers.get("content-type", "")
        line = min(_LINE, most) if kind.startswith("text/event-stream") else most
        if isinstance(response.stream, AsyncByteStream):
            response.stream = _Counted(response.stream, most, line)

    return hook


class _Counted(AsyncByteStream):
    def __init__(self, stream: AsyncByteStream, most: int, line: int) -> None:
        self._stream, self._most, self._line = stream, most, line

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = behind_line = 0
        async for piece in self._stream:
            seen += len(piece)
            end = piece.rfind(b"\n")
            behind_line = len(piece) - 1 - end + (behind_line if end < 0 else 0)
            if seen > self._most or behind_line > self._line:
                raise ModelFailed("model_too_much", model="", most=min(self._most, seen))
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
