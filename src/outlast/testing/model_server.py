"""A server on this machine that speaks the protocols of models, plays a model, and can fail."""

from __future__ import annotations

import asyncio
from collections import deque
from http.server import BaseHTTPRequestHandler
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Self

from msgspec import DecodeError, json

from outlast.errors import ModelFailed
from outlast.testing.model_http import anthropic, faults, openai
from outlast.testing.model_http.connections import Connections
from outlast.testing.model_http.faults import Answer
from outlast.texts import explain

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType, TracebackType

    from outlast.ports.model import Model, Reply
    from outlast.testing.model_http.asked import Asked
    from outlast.testing.model_http.faults import Fault


class ModelServer:
    """Answers what it is asked by HTTP with what a model says; the first requests meet the faults.

    `url` is its address. `requests` are those it has understood, `flooded` the bytes it got rid of
    with the fault "huge". It is to be used in a `with` block, at whose end all connections are
    closed. Requests that come at the same time ask the model at the same time.
    """

    def __init__(self, model: Model, faults: Iterable[Fault] = ()) -> None:
        """Take the model that is played and the faults, each for as many requests as it says."""
        self.model = model
        self.requests: list[Asked] = []
        self.flooded = 0
        self.closing = Event()
        self._faults = deque(fault for fault in faults for _ in range(fault.times))
        self._lock = Lock()
        self._server = Connections(_handler(self))
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead the clients of all providers here."""
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "test",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": "test",
            "OLLAMA_HOST": self.url,
        }

    def __enter__(self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, and let go of whoever is kept waiting."""
        self.closing.set()
        self._server.end()
        self._thread.join()

    def take(self, asked: Asked) -> Fault | None:
        """Note a request down; return what goes wrong with it."""
        with self._lock:
            self.requests.append(asked)
            return self._faults.popleft() if self._faults else None

    def note_flood(self, size: int) -> None:
        """Note down how much somebody has taken of an endless answer."""
        with self._lock:
            self.flooded += size


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        owner = server

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: ModelServer

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """List the one model there is, in the form of each protocol."""
        name = self.owner.model.name
        self._send(Answer(json.encode({"data": [{"id": name}], "models": [{"name": name}]})))

    def do_POST(self) -> None:
        """Answer a request."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        protocol = next((one for one in (anthropic, openai) if path == one.PATH), None)
        if protocol is None:
            self._send(Answer(b"{}", status=404))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            asked = protocol.read(self.path, headers, json.decode(raw))
        except (DecodeError, LookupError, TypeError) as error:
            self._send(Answer(json.encode(protocol.error(400, str(error))), status=400))
            return
        self._answer(protocol, asked)

    def _answer(self, protocol: ModuleType, asked: Asked) -> None:
        fault = self.owner.take(asked)
        try:
            reply = asyncio.run(
                self.owner.model.think(asked.messages, asked.tools, max_tokens=asked.max_tokens)
            )
        except ModelFailed as error:
            self._send(Answer(json.encode(protocol.error(400, explain(error))), status=400))
            return
        if fault is None:
            self._send(faults.regular(protocol, reply, asked))
        else:
            self._fail(fault, protocol, reply, asked)

    def _fail(self, fault: Fault, protocol: ModuleType, reply: Reply, asked: Asked) -> None:
        good = faults.regular(protocol, reply, asked)
        self.close_connection = True
        match fault.kind:
            case "hang":
                self.owner.closing.wait()
            case "reset":
                faults.reset(self.connection)
            case "huge":
                self.owner.note_flood(faults.flood(self.connection, stream=asked.stream))
            case "drip":
                faults.drip(self.connection, good, self.owner.closing)
            case "cut":
                self._send(good, len(good.body) // 2)
            case _:
                self._send(faults.spoilt(fault, protocol, asked))

    def _send(self, answer: Answer, most: int | None = None) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.content_type)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.says_length:
            self.send_header("content-length", str(len(answer.body)))
        else:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(answer.body[:most])
