"""A small HTTP client: one GET request with a deadline and a limit on the answer."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException, HTTPSConnection
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

from outlast.errors import ToolFailed

_HEADERS: Final = {"User-Agent": "outlast", "Accept": "application/json, */*;q=0.5"}


class RequestFailed(Exception):
    """No usable answer came; `problem` says why: in our words, or in those of the system or server.

    `status` is that of HTTP, 0 if none came; `location` is where a redirect leads.
    """

    def __init__(self, problem: str | ToolFailed, status: int = 0, location: str = "") -> None:
        super().__init__(problem)
        self.problem, self.status, self.location = problem, status, location


def get(url: str, seconds: float, max_bytes: int) -> bytes:
    """Return the body of a page. Raises `RequestFailed` for anything but a whole answer in time.

    The request runs in a thread, because name lookup and slow bytes escape a socket timeout. A
    redirect is not followed.
    """
    answers: SimpleQueue[bytes | RequestFailed] = SimpleQueue()
    Thread(target=lambda: answers.put(_request(url, seconds, max_bytes)), daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except Empty:
        answer = RequestFailed(ToolFailed("request_timed_out", seconds=f"{seconds:g}"))
    if isinstance(answer, RequestFailed):
        raise answer
    return answer


def _request(url: str, seconds: float, max_bytes: int) -> bytes | RequestFailed:
    try:
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=seconds)
        try:
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            connection.request("GET", path, headers=_HEADERS)
            response = connection.getresponse()
            body = response.read(max_bytes + 1)
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return RequestFailed(reason or type(error).__name__)
    if response.status != 200:  # noqa: PLR2004 - as every reader knows it
        location = response.headers.get("Location", "")
        message = f"HTTP {response.status} {response.reason}"
        return RequestFailed(message, response.status, location)
    if len(body) > max_bytes:
        return RequestFailed(ToolFailed("request_too_large", most=max_bytes))
    return body
