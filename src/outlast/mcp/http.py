"""Serve any number of clients over streamable HTTP, each of which has to show the token."""

from __future__ import annotations

import asyncio
import gc
import hmac
import json
import os
import socket
from contextlib import contextmanager
from functools import partial
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from msgspec import Struct

from outlast.console.stop_signals import stop_signals
from outlast.errors import InvalidArgument, StoreError
from outlast.mcp.json_rpc import MESSAGE_BYTES, Malformed, read_message, write_error
from outlast.mcp.sdk_server import sdk_server
from outlast.mcp.server import PlanServer
from outlast.system.disk import describe_error
from outlast.system.state_home import StateHome, state_home

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, MutableMapping

    from mcp.server.lowlevel import Server

    from outlast.mcp.service import Service

    Scope = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Scope]]
    Send = Callable[[Scope], Awaitable[None]]
    App = Callable[[Scope, Receive, Send], Awaitable[None]]

VARIABLE: Final = "OUTLAST_MCP_TOKEN"
SHORTEST: Final = 16
_KIND: Final = "mcp"
_NAME: Final = "token"
_BYTES: Final = 200
PATH: Final = "/mcp"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_MISDIRECTED: Final = (421, "The header Host does not name this server")
_FOREIGN: Final = (403, "Requests from other web pages are refused")
_UNAUTHORIZED: Final = (401, "Send the header Authorization: Bearer TOKEN")
_MALFORMED: Final = 400
_LAST_PORT: Final = 65_535
_BACKLOG: Final = 128
_STOP_SECONDS: Final = 3
_IDLE_SECONDS: Final = 300  # without a request at work, after which a session is freed


class AccessToken(Struct, frozen=True):
    """A token; the path of the file that has it, and whether it was made just now.

    Its representation does not show it.
    """

    value: str
    path: str = ""
    is_new: bool = False

    def __repr__(self) -> str:
        return f"<AccessToken {self.path or VARIABLE}>"


def take_token_from_environment() -> AccessToken | None:
    """Take the token out of OUTLAST_MCP_TOKEN: no check that the server starts must see it.

    Raises `InvalidArgument` for one that is too short to be a secret.
    """
    value = os.environ.pop(VARIABLE, None)
    if value is None:
        return None
    if len(value) < SHORTEST or not value.isascii() or not value.isprintable() or " " in value:
        raise InvalidArgument("mcp_token_short", argument=VARIABLE, count=SHORTEST)
    return AccessToken(value)


def load_or_create_token() -> AccessToken:
    """Return this user's token, made on first use. Only the user can read its file.

    Raises `StoreError` if others could have written it.
    """
    home = StateHome(state_home())
    path = home.path_of(_KIND, _NAME)
    with home.lock(_KIND):
        value = home.read_private(_KIND, _NAME, _BYTES).decode(errors="replace").strip()
        if len(value) >= SHORTEST:
            return AccessToken(value, path)
        value = token_urlsafe()
        home.write_value(_KIND, _NAME, value)
        return AccessToken(value, path, is_new=True)


class ListenAddress(Struct, frozen=True):
    """Where to listen."""

    host: str
    port: int

    @classmethod
    def parse(cls, value: str) -> ListenAddress:
        """Read `PORT` or `HOST:PORT`. Raises `InvalidArgument`."""
        host, colon, port = value.rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        is_port = port.isascii() and port.isdigit() and int(port) <= _LAST_PORT
        if not is_port or (colon and not host):
            raise InvalidArgument("mcp_address_wrong", argument="--http", value=value)
        return cls(host or _LOOPBACK[0], int(port))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in _LOOPBACK

    def listen(self) -> socket.socket:
        """Return a listening socket. Raises `StoreError` if the address cannot be had."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            listener = socket.create_server((self.host, self.port), family=family, backlog=_BACKLOG)
            # asyncio sets this only for sockets that name their protocol. Without it the second
            # piece of an answer waits until the client has acknowledged the first.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            address = f"{self.host}:{self.port}"
            problem = describe_error(error)
            raise StoreError("mcp_address_taken", address=address, problem=problem) from error
        return listener


def address_of(listener: socket.socket) -> str:
    """Return the URL at which a socket is reached."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


class Guard:
    """Refuses every request that does not come from a client which was given the token.

    A web page can make a browser send requests here. It cannot name this server as their host
    (DNS rebinding), come from its origin, or know the token. Each of the three is checked, in
    this order, before anything else looks at the request.
    """

    def __init__(self, app: App, token: str, host: str) -> None:
        """Guard an application that listens on a host."""
        self._app, self._token = app, token.encode()
        self._hosts = frozenset((*_LOOPBACK, host, socket.gethostname().lower()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refusal = self._refusal(scope)
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await _refuse(send, *refusal)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        hosts, origins, authorizations = (
            [value.decode("latin-1") for name, value in headers if name == wanted]
            for wanted in (b"host", b"origin", b"authorization")
        )
        if len(hosts) != 1 or not self._is_own(hosts[0], scope["server"]):
            return _MISDIRECTED
        if origins and origins != [f"{scope['scheme']}://{hosts[0]}"]:
            return _FOREIGN
        if len(authorizations) != 1 or not self._is_authorized(authorizations[0]):
            return _UNAUTHORIZED
        return None

    def _is_own(self, host: str, server: tuple[str, int]) -> bool:
        """Return whether a header `Host` names this server, at the port of the connection."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname, parts.port
        except ValueError:
            return False
        is_plain = parts.netloc == host and "@" not in host
        return is_plain and name in {*self._hosts, server[0]} and (port or 80) == server[1]

    def _is_authorized(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        given = token.strip().encode("utf-8", "surrogateescape")
        return scheme.lower() == "bearer" and hmac.compare_digest(given, self._token)


async def _refuse(send: Send, status: int, problem: str) -> None:
    is_unauthorized = status == _UNAUTHORIZED[0]
    headers = [(b"www-authenticate", b"Bearer")] if is_unauthorized else []
    await _respond(send, status, json.dumps({"error": problem}).encode(), *headers)


async def _respond(send: Send, status: int, body: bytes, *more: tuple[bytes, bytes]) -> None:
    kind, length = (b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))
    headers = [kind, length, *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def make_app(sdk: Server[Any], token: str, host: str) -> Guard:
    """Return the guarded application."""
    app = sdk.streamable_http_app(
        streamable_http_path=PATH,
        session_idle_timeout=_IDLE_SECONDS,
        # The guard has checked Host and Origin, for the names of this machine too.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Guard(_IdCheck(app), token, host)


class _IdCheck:
    """Answers a message that the SDK would take for a notification: one whose id is none."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer that its body is malformed."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        parts: list[Scope] = []
        size, has_more = 0, True
        while has_more and size <= MESSAGE_BYTES:
            parts.append(await receive())
            size += len(parts[-1].get("body", b""))
            has_more = bool(parts[-1].get("more_body"))
        if not has_more and parts[-1]["type"] == "http.request":
            message = read_message(b"".join(part["body"] for part in parts))
            if isinstance(message, Malformed):
                answer = write_error(message.id, message.code, message.problem)
                await _respond(send, _MALFORMED, answer)
                return
        await self._app(scope, partial(_replay, parts, receive), send)


async def _replay(parts: list[Scope], receive: Receive) -> Scope:
    """Return what was received already, then what comes."""
    return parts.pop(0) if parts else await receive()


def serve_http(service: Service, listener: socket.socket, token: str, host: str) -> None:
    """Serve until Ctrl-C, SIGTERM or SIGHUP."""
    gc.enable()  # it may run for days
    asyncio.run(_serve(PlanServer(service), listener, token, host))


async def _serve(server: PlanServer, listener: socket.socket, token: str, host: str) -> None:
    config = uvicorn.Config(
        make_app(sdk_server(server), token, host),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
    serving, loop = _Uvicorn(config), asyncio.get_running_loop()
    for number in stop_signals():
        loop.add_signal_handler(number, serving.stop)
    try:
        await serving.serve(sockets=[listener])
    finally:
        await server.close()


class _Uvicorn(uvicorn.Server):
    """Ends on a signal without raising it again, so that the plans are closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the event loop."""
        yield

    def stop(self) -> None:
        """End: the first time once the requests at work are answered, then at once."""
        self.force_exit = self.should_exit
        self.should_exit = True
