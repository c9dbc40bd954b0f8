"""A server that knows its connections, and ends them when it ends."""

from __future__ import annotations

import sys
from contextlib import suppress
from http.server import ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from threading import Condition
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

_PATIENCE: Final = 10.0  # seconds, for a model that does not come to an end


class Connections(ThreadingHTTPServer):
    """Answers each connection in a thread of its own, on this machine only."""

    daemon_threads = True
    request_queue_size = 128  # with the usual 5, many at once are kept waiting for a second

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        """Listen."""
        self._open: set[object] = set()
        self._change = Condition()
        super().__init__(("127.0.0.1", 0), handler)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as the standard library has it
        """Begin with a connection."""
        with self._change:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - as the standard library has it
        """End a connection."""
        super().shutdown_request(request)
        with self._change:
            self._open.discard(request)
            self._change.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as the standard library has it
        """Say nothing of clients who have gone; that is what faults are for."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def end(self) -> None:
        """Take no more, break off what is under way, and see it closed."""
        self.shutdown()
        self.server_close()
        with self._change:
            for one in self._open:
                if isinstance(one, socket):
                    with suppress(OSError):
                        one.shutdown(SHUT_RDWR)
            self._change.wait_for(lambda: not self._open, _PATIENCE)
