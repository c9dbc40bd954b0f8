"""A local HTTP server that serves a model through provider protocols, with faults."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from threading import Condition, Event, Lock, Thread
from types import ModuleType, TracebackType
from typing import Any, Final, Self

from msgspec import DecodeError, json

from outlast.context.chat_model import Model, Reply
from outlast.errors import ModelFailed
from outlast.language import explain
from outlast.testing.model_http import anthropic, faults, openai, responses
from outlast.testing.model_http.faults import Fault, HttpAnswer
from outlast.testing.model_http.request import ModelRequest

_PROTOCOLS: Final = (anthropic, openai, responses)
_CLOSE_SECONDS: Final = 10.0  # to wait for a model that does not end


class ModelServer:
    """Answers HTTP requests with the replies of a model; faults hit the first requests.

    `requests` are the parsed requests, `flood_bytes` the bytes sent by the fault "huge". Use it in
    a `with` block, which closes all connections at its end. Concurrent requests call the model
    concurrently.
    """

    def __init__(self, model: Model, faults: Iterable[Fault] = ()) -> None:
        """Take the model and the faults; a fault hits `times` requests."""
        self.model = model
        self.requests: list[ModelRequest] = []
        self.flood_bytes = 0
        self.stop_event = Event()
        self._faults = deque(fault for fault in faults for _ in range(fault.times))
        self._lock = Lock()
        self._server = _HttpServer(_handler_class(self))
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that point the clients of all providers here."""
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "test",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": "test",
            "OLLAMA_HOST": self.url,
        }

    def __enter__(self) -> Self:
        """Start the server."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the server and close connections that wait."""
        self.stop_event.set()
        self._server.close_all()
        self._thread.join()

    def accept(self, request: ModelRequest) -> Fault | None:
        """Record a request and return its fault, if any."""
        with self._lock:
            self.requests.append(request)
            return self._faults.popleft() if self._faults else None

    def add_flood_bytes(self, size: int) -> None:
        """Count bytes of an endless answer that a client has read."""
        with self._lock:
            self.flood_bytes += size


def _handler_class(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        owner = server

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: ModelServer

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """List the model in the form of each protocol."""
        name = self.owner.model.name
        self._send(HttpAnswer(json.encode({"data": [{"id": name}], "models": [{"name": name}]})))

    def do_POST(self) -> None:
        """Answer a request."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        protocol = next((module for module in _PROTOCOLS if path == module.PATH), None)
        if protocol is None:
            self._send(HttpAnswer(b"{}", status=404))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            request = protocol.parse_request(self.path, headers, json.decode(raw))
        except (DecodeError, LookupError, TypeError) as error:
            self._send(HttpAnswer(json.encode(protocol.error_body(400, str(error))), status=400))
            return
        self._answer(protocol, request)

    def _answer(self, protocol: ModuleType, request: ModelRequest) -> None:
        fault = self.owner.accept(request)
        try:
            reply = asyncio.run(
                self.owner.model.think(
                    request.messages, request.tools, max_tokens=request.max_tokens
                )
            )
        except ModelFailed as error:
            body = json.encode(protocol.error_body(400, explain(error)))
            self._send(HttpAnswer(body, status=400))
            return
        if fault is None:
            self._send(faults.regular_answer(protocol, reply, request))
        else:
            self._fail(fault, protocol, reply, request)

    def _fail(
        self, fault: Fault, protocol: ModuleType, reply: Reply, request: ModelRequest
    ) -> None:
        good = faults.regular_answer(protocol, reply, request)
        self.close_connection = True
        match fault.kind:
            case "hang":
                self.owner.stop_event.wait()
            case "reset":
                faults.reset(self.connection)
            case "huge":
                self.owner.add_flood_bytes(faults.flood(self.connection, stream=request.stream))
            case "drip":
                faults.drip(self.connection, good, self.owner.stop_event)
            case "cut":
                self._send(good, len(good.body) // 2)
            case _:
                self._send(faults.faulty_answer(fault, protocol, request))

    def _send(self, answer: HttpAnswer, max_bytes: int | None = None) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.content_type)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.has_length:
            self.send_header("content-length", str(len(answer.body)))
        else:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(answer.body[:max_bytes])


class _HttpServer(ThreadingHTTPServer):
    """Serves each connection in its own thread, on the loopback address only."""

    daemon_threads = True
    request_queue_size = 128  # the default of 5 delays many clients by a second

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: set[object] = set()
        self._changed = Condition()
        super().__init__(("127.0.0.1", 0), handler)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the base class
        """Register a connection and serve it."""
        with self._changed:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - as in the base class
        """Close a connection and forget it."""
        super().shutdown_request(request)
        with self._changed:
            self._open.discard(request)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the base class
        """Ignore clients that disconnect, as faults make them do."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close_all(self) -> None:
        """Stop listening, shut all connections down and wait until they are closed."""
        self.shutdown()
        self.server_close()
        with self._changed:
            for connection in self._open:
                if isinstance(connection, socket):
                    with suppress(OSError):
                        connection.shutdown(SHUT_RDWR)
            self._changed.wait_for(lambda: not self._open, _CLOSE_SECONDS)
