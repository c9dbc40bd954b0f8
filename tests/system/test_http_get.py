"""A request with a deadline, whatever the server does."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest

from outlast.errors import ToolFailed
from outlast.system.http_get import RequestFailed, get

GUARD = 30
OVER = Event()
PROGRAM = """
import sys
from outlast.system.http_get import RequestFailed, get
try:
    get(sys.argv[1], 0.1, 10_000_000)
except RequestFailed as error:
    print(error.problem.text)
"""


class Pages(BaseHTTPRequestHandler):
    """Answers as the path says; `/drip` sends a byte now and then until the test is over."""

    def do_GET(self) -> None:
        if self.path.startswith("/drip"):
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while not OVER.wait(0.01):
                    self.wfile.write(b" ")
            return
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.path.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def server() -> Iterator[str]:
    OVER.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as serving:
        Thread(target=serving.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{serving.server_port}"
        finally:
            OVER.set()
            serving.shutdown()


def failure(url: str, most: int = 100) -> RequestFailed:
    with pytest.raises(RequestFailed) as failed:
        get(url, 5, most)
    return failed.value


def test_f13_the_body_comes_whole_or_not_at_all() -> None:
    with server() as url:
        assert get(f"{url}/a?b=c", 5, 6) == b"/a?b=c"
        refused = failure(f"{url}/a?b=c", 5)
        assert isinstance(refused.problem, ToolFailed)
        assert refused.problem.text == "request_too_large"
        away = failure(f"{url}/away")
        assert (away.status, away.location) == (302, "/elsewhere")
    assert failure(url).status == 0


def test_f13_a_program_ends_while_a_slow_server_still_answers() -> None:
    with server() as url:
        command = (sys.executable, "-c", PROGRAM, f"{url}/drip")
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=GUARD)  # noqa: S603
    assert done.stdout == "request_timed_out\n"
