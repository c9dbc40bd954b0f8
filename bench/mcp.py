"""The MCP server: tokens of what a client lists, and how soon it answers: `./dev bench mcp`.

Hosts start their servers together and do without those that are late, so the time to the first
answers is measured from the start of the process, beside the import of the official SDK. Over HTTP
it is the time of one call on a kept connection, beside that of a bare server of the same transport.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from bench.bookkeeping import spelled
from bench.measure import count, figure, in_turn, machine, milli, table, times, write
from bench.tokenizer import NAME, tokens
from bench.verdicts import at_most, judged
from outlast.plan.tools.server_sets import SERVER_SETS, tool_listing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.measure import Sample
    from bench.verdicts import Row

ROUNDS: Final = 15
_SCHEMA_LIMIT: Final = 1_500
_SHOWN: Final = ("name", "description", "inputSchema")  # what hosts pass on to a model
_SERVER: Final = (sys.executable, "-m", "outlast", "mcp")
_SDK: Final = (sys.executable, "-c", "import mcp; print()")
_HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
_INITIALIZE: Final = "answer to initialize"
_LIST: Final = "answer to tools/list"
_CALL: Final = "answer to the first tools/call"
_IMPORT: Final = "`python -c 'import mcp'`"
_HTTP_CALLS: Final = 100
_HTTP_LIMIT: Final = 0.0025
_OVER_HTTP: Final = "tools/call on a kept connection"
_BARE: Final = "a bare answer of the same transport"
_TOKEN: Final = "a-token-of-the-benchmark"  # noqa: S105 - of no other server
_HTTP_SERVER: Final = (*_SERVER, "--http", "0")
_BARE_SERVER: Final = (
    sys.executable,
    "-c",
    """
import socket, sys, uvicorn
async def app(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-type", b"application/json"), (b"content-length", b"500")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b" " * 500})
listener = socket.create_server(("127.0.0.1", 0))
listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off")
uvicorn.Server(config).run([listener])
""",
)


@dataclass(frozen=True)
class Found:
    """Tokens of each set, shown to a model and listed in all, and seconds to each answer.

    Over HTTP it is the seconds of one answer.
    """

    schemas: dict[str, tuple[int, int]]
    answers: dict[str, Sample]
    over_http: dict[str, Sample]


def count_tokens() -> dict[str, tuple[int, int]]:
    """Return the tokens of each set of tools: what a model is shown, and the whole list."""
    return {which: _set_tokens(tool_listing(which)) for which in SERVER_SETS}


def _set_tokens(listing: list[dict[str, Any]]) -> tuple[int, int]:
    shown = [{name: tool[name] for name in _SHOWN} for tool in listing]
    return tokens(spelled(shown)), tokens(spelled(listing))


def measure(rounds: int = ROUNDS) -> Found:
    with TemporaryDirectory() as place:
        answers = {
            name: partial(_seconds, place, _SERVER, last)
            for last, name in enumerate((_INITIALIZE, _LIST, _CALL))
        }
        answers[_IMPORT] = partial(_seconds, place, _SDK, 0)
        in_turn(answers, 1)  # writes the bytecode
        return Found(count_tokens(), in_turn(answers, rounds), measure_http(rounds))


def measure_http(rounds: int = ROUNDS) -> dict[str, Sample]:
    """Return the seconds of a call on a kept connection, and of a bare answer beside it."""
    with (
        TemporaryDirectory() as place,
        _connected(_HTTP_SERVER, place) as ours,
        _connected(_BARE_SERVER, place) as bare,
    ):
        session = _post(ours, "initialize", _HELLO)
        calls = {
            _OVER_HTTP: partial(_seconds_of_calls, ours, session),
            _BARE: partial(_seconds_of_calls, bare, ""),
        }
        in_turn(calls, 1)
        return in_turn(calls, rounds)


def _seconds_of_calls(connection: http.client.HTTPConnection, session: str) -> float:
    """Return the seconds of the fastest of some calls: others waited for the processor."""
    return min(_seconds_of_call(connection, session) for _ in range(_HTTP_CALLS))


def _seconds_of_call(connection: http.client.HTTPConnection, session: str) -> float:
    begun = time.perf_counter()
    _post(connection, "tools/call", {"name": "plan_read"}, session)
    return time.perf_counter() - begun


@contextmanager
def _connected(command: Sequence[str], place: str | Path) -> Iterator[http.client.HTTPConnection]:
    """Start a server that prints its address, and connect with it."""
    environ = {**os.environ, "OUTLAST_MCP_TOKEN": _TOKEN, "XDG_STATE_HOME": f"{place}/state"}
    with subprocess.Popen(  # noqa: S603 - our own program
        command, cwd=place, env=environ, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr  # noqa: S101 - it was asked for
        address = re.search(r"http://([^/]+)/", process.stderr.readline())
        assert address, command  # noqa: S101 - it prints nothing else first
        connection = http.client.HTTPConnection(address[1], timeout=60)
        try:
            yield connection
        finally:
            connection.close()
            process.send_signal(signal.SIGTERM)
            process.communicate()


def _post(
    connection: http.client.HTTPConnection, method: str, params: object, session: str = ""
) -> str:
    """Send a request and read the whole answer; return the session."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    headers = {
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {_TOKEN}",
        "Content-Type": "application/json",
        **({"mcp-session-id": session} if session else {}),
    }
    connection.request("POST", "/mcp", body, headers)
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == http.HTTPStatus.OK, text  # noqa: S101 - else nothing is measured
    return answer.headers.get("mcp-session-id", "")


def _seconds(place: str | Path, command: Sequence[str], last: int) -> float:
    """Return the seconds from the start of a process to its answer to the last of the requests."""
    requests = [("initialize", _HELLO), ("tools/list", {}), ("tools/call", {"name": "plan_read"})]
    environ = {name: value for name, value in os.environ.items() if name != "OUTLAST_PLAN"}
    begun = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - our own program
        command,
        cwd=place,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin  # noqa: S101 - it was asked for
        assert process.stdout  # noqa: S101 - it was asked for
        for number, (method, params) in enumerate(requests[: last + 1]):
            asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
            process.stdout.readline()
        passed = time.perf_counter() - begun
        process.kill()
    return passed


def report(found: Found) -> str:
    sets = [[which, count(shown), count(every)] for which, (shown, every) in found.schemas.items()]
    imported = found.answers[_IMPORT].best
    seconds = [
        [name, milli(sample.best), milli(sample.median), times(sample.best / imported)]
        for name, sample in found.answers.items()
    ]
    parts = [
        f"{machine()} Tokenizer {NAME}.",
        table(["tools", "tokens shown to a model", "tokens listed"], sets),
        table(["from the start of the process", "ms, best", "median", "of the import"], seconds),
        table(
            ["over HTTP", "ms, best", "median"],
            [[name, milli(s.best), milli(s.median)] for name, s in found.over_http.items()],
        ),
        judged(["", "listed"], goals(found)),
    ]
    return "\n\n".join(parts)


def goals(found: Found) -> list[Row]:
    ratio = found.answers[_CALL].best / found.answers[_IMPORT].best
    sizes = [at_most(size, _SCHEMA_LIMIT, figure) for size in found.schemas["default"]]
    return [
        ["schemas of the default set", f"≤ {count(_SCHEMA_LIMIT)}", *sizes],
        [
            "first tools/call against the import of the SDK",
            f"≤ {times(1)}",
            at_most(ratio, 1, times),
        ],
        *http_goals(found.over_http),
    ]


def http_goals(found: dict[str, Sample]) -> list[Row]:
    above = found[_OVER_HTTP].best - found[_BARE].best
    limit = f"≤ {milli(_HTTP_LIMIT)} ms above the transport's own"
    return [["MCP call over HTTP on a kept connection", limit, at_most(above, _HTTP_LIMIT, _ms)]]


def _ms(seconds: float) -> str:
    return f"{milli(seconds)} ms"


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench mcp")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each is run")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    options = parser.parse_args()
    text = report(measure(options.rounds))
    print(text)
    if options.write:
        write("mcp", text)


if __name__ == "__main__":
    main()
