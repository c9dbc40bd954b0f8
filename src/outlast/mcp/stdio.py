"""Serve one client on the standard streams.

The standard output carries nothing but the protocol. Whatever else writes to it, such as a check or
a library, writes to the standard error.
"""

from __future__ import annotations

import asyncio
import gc
import os
from contextlib import suppress
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final, Self

from outlast.console.stop_signals import stop_signals
from outlast.mcp.connection import Connection
from outlast.mcp.json_rpc import MESSAGE_BYTES, TOO_LARGE, Message, read_message
from outlast.mcp.server import PlanServer
from outlast.system.logs import LOG
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.mcp.service import Service

_READ_BYTES: Final = 64 * 1024
_GRACE_SECONDS: Final = 10.0  # for calls at work when the client closes its end


def serve_stdio(service: Service) -> None:
    """Serve until the client closes its end, or until Ctrl-C, SIGTERM or SIGHUP."""
    gc.enable()  # it may run for days
    with Wire() as wire:
        asyncio.run(_serve(PlanServer(service), wire))


async def _serve(server: PlanServer, wire: Wire) -> None:
    loop, serving = asyncio.get_running_loop(), asyncio.current_task()
    for number in stop_signals():
        loop.add_signal_handler(number, serving.cancel if serving else loop.stop)
    # Lines are written in a thread: a client that reads none would block the event loop, which has
    # to handle signals.
    connection = Connection(server, lambda line: call_in_thread(partial(wire.send, line)))
    messages: asyncio.Queue[Message | None] = asyncio.Queue()

    def read() -> None:
        with suppress(RuntimeError):  # the loop has ended
            for message in wire.messages():
                loop.call_soon_threadsafe(messages.put_nowait, message)
            loop.call_soon_threadsafe(messages.put_nowait, None)

    Thread(target=read, name="outlast-mcp-reader", daemon=True).start()
    try:
        while (message := await messages.get()) is not None:
            connection.take(message)
        await server.close()
        await connection.finish(_GRACE_SECONDS)
    except asyncio.CancelledError:
        LOG.debug("stopped by a signal")
    finally:
        await server.close()
        await connection.close()


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

    def messages(self) -> Iterator[Message]:
        """Yield messages until the client closes its end."""
        rest, is_skipping = b"", False
        while data := self._read():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if is_skipping:
                    is_skipping = False
                elif line.strip():
                    yield read_message(line)
            if len(rest) > MESSAGE_BYTES:
                if not is_skipping:
                    yield TOO_LARGE
                rest, is_skipping = b"", True
        if rest.strip() and not is_skipping:
            yield read_message(rest)

    def _read(self) -> bytes:
        try:
            return os.read(self.source, _READ_BYTES)
        except OSError:
            return b""
