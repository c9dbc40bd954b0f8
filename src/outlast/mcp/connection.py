"""One connection over the standard streams: lines to messages of the SDK, and back."""

from __future__ import annotations

import asyncio
import json
import signal
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from anyio import create_memory_object_stream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, jsonrpc_message_adapter

from outlast.mcp.stdio import Reader, Wire, read_request
from outlast.system.logs import LOG
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from outlast.mcp.server import PlanServer

_GRACE_SECONDS: Final = 10.0  # for calls at work when the client closes its end
_CANCELLED: Final = "notifications/cancelled"
_PARSE_ERROR: Final = (-32700, "Parse error")
_INVALID: Final = (-32600, "Invalid request")
_INTERNAL: Final = (-32603, "Internal error")


def serve(server: PlanServer, reader: Reader, wire: Wire) -> None:
    """Serve until the client closes its end, or until SIGTERM or Ctrl-C."""
    asyncio.run(_serve(server, reader, wire))


async def _serve(server: PlanServer, reader: Reader, wire: Wire) -> None:
    inbox, messages = create_memory_object_stream[SessionMessage | Exception](0)
    answers, outbox = create_memory_object_stream[SessionMessage](0)
    connection = _Connection(reader, wire)
    loop, serving = asyncio.get_running_loop(), asyncio.current_task()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, serving.cancel if serving else loop.stop)
    try:
        async with asyncio.TaskGroup() as group:
            receiving = group.create_task(connection.receive(inbox))
            group.create_task(connection.send(outbox))
            await server.sdk.run(messages, answers, server.sdk.create_initialization_options())
            receiving.cancel()
    except asyncio.CancelledError:
        LOG.debug("stopped by a signal")
    finally:
        await server.close()


class _Connection:
    """Turns lines into the messages of the SDK, and its messages into lines.

    Lines are written in a thread: a client that reads none would block the event loop, which has to
    handle signals.
    """

    def __init__(self, reader: Reader, wire: Wire) -> None:
        self._reader, self._wire = reader, wire
        self._unanswered: set[object] = set()
        self._idle = asyncio.Event()

    async def receive(self, inbox: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Pass on messages until the client closes its end, and let calls at work end then."""
        queue = self._reader.hand_over()
        async with inbox:
            while (line := await queue.get()) is not None:
                message = await self._parse(line)
                if message is not None:
                    await inbox.send(message)
            with suppress(TimeoutError):
                async with asyncio.timeout(_GRACE_SECONDS):
                    while self._unanswered:
                        self._idle.clear()
                        await self._idle.wait()

    async def _parse(self, line: bytes) -> SessionMessage | None:
        """Return a message; one that is malformed is answered with an error instead."""
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            request = read_request(line)
            number = None if request is None else request["id"]
            await self._send_error(number, _INVALID if _is_json(line) else _PARSE_ERROR)
            return None
        request = read_request(line)
        if request is not None and request["method"] != "subscriptions/listen":
            self._unanswered.add(request["id"])
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            self._settle((message.params or {}).get("requestId"))
        return SessionMessage(message)

    def _settle(self, number: object) -> None:
        """Note that a request is answered, or never will be."""
        with suppress(TypeError):  # a list, say, is no number of a request
            self._unanswered.discard(number)
        self._idle.set()

    async def send(self, outbox: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write what the SDK sends, except an answer that was given already."""
        async with outbox:
            async for item in outbox:
                await self._write(item)

    async def _write(self, item: SessionMessage) -> None:
        message: Any = item.message
        number = None if hasattr(message, "method") else getattr(message, "id", None)
        self._settle(number)
        try:
            line = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        except ValueError:  # such as half of a surrogate pair in a text
            LOG.exception("an answer could not be written")
            await self._send_error(number, _INTERNAL)
            return
        if not self._reader.early.skip_answer(number):
            await call_in_thread(partial(self._wire.send, line))

    async def _send_error(self, number: object, error: tuple[int, str]) -> None:
        await call_in_thread(partial(self._wire.send_error, number, error))


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
