"""One client on one stream: which version it speaks, its requests at work, and ours to it.

Its first request decides: one that names a version since 2026-07-28 opens a connection without a
handshake, any other one with a handshake.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from outlast.mcp.json_rpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    Id,
    Json,
    Malformed,
    Message,
    Notification,
    ProtocolError,
    Request,
    Response,
    is_id,
    write_error,
    write_notification,
    write_request,
    write_result,
)
from outlast.mcp.params import (
    CLIENT_CAPABILITIES,
    PROTOCOL_VERSION,
    Capabilities,
    Envelope,
    InitializeParams,
    form_params,
    read_params,
)
from outlast.mcp.service import STATELESS_VERSIONS
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.mcp.caller import Caller, Session
    from outlast.mcp.server import PlanServer

    Work = Callable[[], Awaitable[Json]]

_UNSUPPORTED_VERSION: Final = -32022
_CANCELLED: Final = "notifications/cancelled"


class Connection:
    """A connection: `take` gets what the client sends, `send` is given each line for it.

    Lines are sent in the order in which they are ready. `send` may wait for the client to read.
    """

    def __init__(self, server: PlanServer, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Wait for the client to begin."""
        self._server, self._send_line = server, send
        self._turn = asyncio.Lock()
        self._is_stateless: bool | None = None
        self._capabilities: Capabilities | None = None  # known once a handshake has been made
        self._tasks: set[asyncio.Task[None]] = set()
        self._requests: dict[Id, asyncio.Task[None]] = {}
        self._numbers = count(1)
        self._asked: dict[Id, asyncio.Future[Response]] = {}
        self._has_ended = False
        self.at_end = ExitStack()

    def take(self, message: Message) -> None:
        """Take a message; what has to be done for it is done meanwhile."""
        match message:
            case Malformed(number, code, problem):
                self._start(self._send(write_error(number, code, problem)))
            case Request():
                work = self._prepare(message)
                task = self._start(self._answer(message, work))
                self._requests[message.id] = task
                task.add_done_callback(lambda _: self._forget(message.id, task))
            case Notification():
                self._note(message)
            case Response():
                asked = self._asked.get(message.id)
                if asked is not None and not asked.done():
                    asked.set_result(message)

    async def finish(self, seconds: float) -> None:
        """Let requests at work end: the client sends nothing any more, but it may still read."""
        self._has_ended = True
        for asked in self._asked.values():
            if not asked.done():
                asked.set_exception(_end_error())
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._tasks:
                    await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Cancel what is at work, and end the session."""
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks)
        self.at_end.close()

    def _start(self, work: Any) -> asyncio.Task[None]:  # noqa: ANN401 - any coroutine
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _forget(self, number: Id, task: asyncio.Task[None]) -> None:
        if self._requests.get(number) is task:  # another one may have the same number
            del self._requests[number]

    def _note(self, message: Notification) -> None:
        number = message.params.get("requestId")
        if message.method == _CANCELLED and is_id(number) and number in self._requests:
            self._requests[number].cancel()

    # Requests of the client

    def _prepare(self, request: Request) -> Work | ProtocolError:
        """Return what answers a request. A handshake holds from the next message on."""
        if self._is_stateless is None:
            self._is_stateless = request.method != "initialize" and _names_version(request.params)
        try:
            if request.method == "initialize":
                return self._begin(request.params)
            caller = self._read_envelope(request) if self._is_stateless else self._caller(request)
        except ProtocolError as error:
            return error
        return partial(self._server.answer, request.method, request.params, caller)

    def _begin(self, params: Json) -> Work:
        if self._is_stateless:
            requested = params.get("protocolVersion")
            problem = "This connection is of a version that has no handshake"
            raise _version_error(requested, problem)
        hello = read_params(InitializeParams, params)
        self._capabilities = hello.capabilities
        return partial(_ready, self._server.service.handshake(hello.protocol_version))

    def _caller(self, request: Request) -> Caller:
        if _names_version(request.params):
            raise ProtocolError(INVALID_REQUEST, "This connection was opened with a handshake")
        is_served = request.method in self._server.methods(is_stateless=False)
        if is_served and self._capabilities is None and request.method != "ping":
            raise ProtocolError(INVALID_PARAMS, "The first request has to be initialize")
        return _StreamCaller(self, request.id, self._capabilities, is_stateless=False)

    def _read_envelope(self, request: Request) -> Caller:
        meta = request.params.get("_meta")
        given = meta if isinstance(meta, dict) else {}
        missing = [key for key in (PROTOCOL_VERSION, CLIENT_CAPABILITIES) if key not in given]
        if missing:
            raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}")
        version = given[PROTOCOL_VERSION]
        if isinstance(version, str) and version not in STATELESS_VERSIONS:
            raise _version_error(version, "Unsupported protocol version")
        capabilities = read_params(Envelope, given).capabilities
        return _StreamCaller(self, request.id, capabilities, is_stateless=True)

    async def _answer(self, request: Request, work: Work | ProtocolError) -> None:
        try:
            if isinstance(work, ProtocolError):
                raise work  # noqa: TRY301 - the one place where errors become answers
            line = write_result(request.id, await work())
        except ProtocolError as error:
            line = write_error(request.id, error.code, error.message, error.data)
        except Exception:
            LOG.exception("%s could not be answered", request.method)
            line = write_error(request.id, INTERNAL_ERROR, "Internal error")
        await self._send(line)

    # What is sent to the client

    async def _send(self, line: bytes) -> None:
        async with self._turn:
            await self._send_line(line)

    async def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        await self._send(write_notification(method, params))

    async def ask(self, method: str, params: Json) -> Json:
        """Send a request of ours and return its result. Raises the client's error."""
        if self._has_ended:
            raise _end_error()
        number = next(self._numbers)
        asked = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send(write_request(number, method, params))
            response = await asked
        except asyncio.CancelledError:
            self._start(self.notify(_CANCELLED, {"requestId": number}))
            raise
        finally:
            del self._asked[number]
        if response.error is not None:
            raise _client_error(response.error)
        return response.result or {}


class _StreamCaller:
    """The client of one request on a connection."""

    def __init__(
        self,
        connection: Connection,
        request_id: Id,
        capabilities: Capabilities | None,
        *,
        is_stateless: bool,
    ) -> None:
        self._connection = connection
        self.request_id, self.is_stateless = request_id, is_stateless
        self.can_ask = capabilities is not None and capabilities.can_ask

    @property
    def session(self) -> Session:
        return self._connection

    def at_session_end(self, call: Callable[[], None]) -> None:
        self._connection.at_end.callback(call)

    async def notify(self, method: str, params: Json) -> None:
        await self._connection.notify(method, params)

    async def ask(self, message: str, schema: Json) -> Json:
        return await self._connection.ask("elicitation/create", form_params(message, schema))


def _names_version(params: Json) -> bool:
    """Return whether a request says by itself which version it is of, as since 2026."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and PROTOCOL_VERSION in meta


async def _ready(result: Json) -> Json:
    return result


def _version_error(requested: object, problem: str) -> ProtocolError:
    named = {"requested": requested} if isinstance(requested, str) else {}
    data = {"supported": [*STATELESS_VERSIONS], **named}
    return ProtocolError(_UNSUPPORTED_VERSION, problem, data)


def _end_error() -> ProtocolError:
    return ProtocolError(CONNECTION_CLOSED, "Connection closed")


def _client_error(error: Json) -> ProtocolError:
    """Return the error that a client has answered with; it answers the client's own request."""
    code, message = error.get("code"), error.get("message")
    code = code if type(code) is int else INTERNAL_ERROR
    return ProtocolError(code, message if isinstance(message, str) else "", error.get("data"))
