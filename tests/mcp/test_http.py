"""The server over HTTP: every client has to show the token, and no web page gets through."""

import asyncio
import http.client
import json
import os
import random
import re
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from outlast.errors import InvalidArgument
from outlast.mcp.http import (
    AccessToken,
    Guard,
    ListenAddress,
    load_or_create_token,
    make_app,
    take_token_from_environment,
)
from outlast.mcp.sdk_server import sdk_server
from outlast.mcp.served_plans import ServedPlans
from outlast.mcp.server import PlanServer
from outlast.mcp.service import Service
from outlast.mcp.tool_calls import DECISIONS
from outlast.plan.tools.server_sets import SERVER_SETS
from tests.cli.processes import environment
from tests.cli.processes import outlast as run_outlast
from tests.mcp.clients import (
    COMMAND,
    MODES,
    TOKEN,
    VERSION,
    HttpServer,
    http_server,
    over_http,
    run,
    text_of,
)
from tests.mcp.frames import FRAMES, mutate
from tests.mcp.test_questions import Person
from tests.mcp.tool_calls import call_everything

GOOD = {"Authorization": f"Bearer {TOKEN}"}
FUZZED = 1_500
ACCEPT = "application/json, text/event-stream"
Edit = Callable[[HttpServer], list[tuple[str, str]]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with http_server(tmp_path_factory.mktemp("served")) as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("which", SERVER_SETS)
def test_every_tool_and_resource_answers_over_http(tmp_path: Path, mode: str, which: Any) -> None:
    async def talk(server: HttpServer) -> None:
        async with over_http(server, mode, answer=Person("yes")) as client:
            await call_everything(client, which, DECISIONS)

    with http_server(tmp_path, "--http", "127.0.0.1:0", "--tools", which) as server:
        run(talk(server))


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_person_is_asked_over_http(tmp_path: Path, mode: str) -> None:
    async def talk(server: HttpServer) -> None:
        async with over_http(server, mode, answer=Person("Blue")) as client:
            await text_of(client, "add_tasks", tasks=["A"])
            assert "Blue" in await text_of(client, "ask_user", question="Which?")

    with http_server(tmp_path) as server:
        run(talk(server))


def send(
    server: HttpServer, method: str, headers: list[tuple[str, str]], body: bytes = b""
) -> tuple[int, bytes]:
    """Send a request with exactly these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.putrequest(method, "/mcp", skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    if body:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body or None)
    response = connection.getresponse()
    answer = response.status, response.read(100_000) if response.status != 200 else b""
    connection.close()
    return answer


def good(server: HttpServer) -> list[tuple[str, str]]:
    return [
        ("Host", f"127.0.0.1:{server.port}"),
        ("Authorization", f"Bearer {TOKEN}"),
        ("Accept", ACCEPT),
        ("Content-Type", "application/json"),
    ]


def replaced(name: str, *values: str) -> Edit:
    """Return the good headers with other values of one of them; `PORT` is that of the server."""

    def edit(server: HttpServer) -> list[tuple[str, str]]:
        kept = [header for header in good(server) if header[0] != name]
        return [*kept, *((name, value.replace("PORT", str(server.port))) for value in values)]

    return edit


@pytest.mark.slow
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "PUT", "HEAD"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (replaced("Host", "evil.example"), 421),
        (replaced("Host", "evil.example:PORT"), 421),
        (replaced("Host", "127.0.0.1"), 421),
        (replaced("Host", "127.0.0.1:1"), 421),
        (replaced("Host", "127.0.0.1:PORT@evil.example"), 421),
        (replaced("Host", "evil.example@127.0.0.1:PORT"), 421),
        (replaced("Host", "127.0.0.1.evil.example:PORT"), 421),
        (replaced("Host", "localhost:PORT", "evil.example"), 400),
        (replaced("Host", "[::1"), 421),
        (replaced("Host", ""), 421),
        (replaced("Origin", "http://evil.example"), 403),
        (replaced("Origin", "http://localhost:PORT"), 403),
        (replaced("Origin", "https://127.0.0.1:PORT"), 403),
        (replaced("Origin", "http://127.0.0.1:1"), 403),
        (replaced("Origin", "null"), 403),
        (replaced("Origin", ""), 403),
        (replaced("Origin", "http://127.0.0.1:PORT", "http://evil.example"), 403),
        (replaced("Authorization"), 401),
        (replaced("Authorization", ""), 401),
        (replaced("Authorization", TOKEN), 401),
        (replaced("Authorization", "Bearer"), 401),
        (replaced("Authorization", f"Basic {TOKEN}"), 401),
        (replaced("Authorization", f"Bearer {TOKEN}x"), 401),
        (replaced("Authorization", f"Bearer {TOKEN[:-1]}"), 401),
        (replaced("Authorization", f"Bearer {TOKEN.upper()}"), 401),
        (replaced("Authorization", "Bearer \xff"), 401),
        (replaced("Authorization", f"Bearer {TOKEN}", f"Bearer {TOKEN}"), 401),
    ],
)
def test_a9_a_request_with_a_wrong_header_is_refused(
    server: HttpServer, method: str, headers: Edit, status: int
) -> None:
    found, body = send(server, method, headers(server))

    assert found == status
    assert TOKEN.encode() not in body


@pytest.mark.slow
@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST"])
def test_a_client_may_name_this_machine_in_any_usual_way(server: HttpServer, name: str) -> None:
    headers = replaced("Host", f"{name}:PORT")(server)
    origin = ("Origin", f"http://{name}:{server.port}")

    for sent in (headers, [*headers, origin]):
        assert send(server, "POST", sent, FRAMES[0])[0] == 200


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/mcp/", "/mcp/x", "/.well-known/oauth-protected-resource"])
def test_a9_nothing_else_is_served(server: HttpServer, path: str) -> None:
    url = f"http://127.0.0.1:{server.port}{path}"

    assert httpx2.get(url).status_code == 401
    assert httpx2.get(url, headers=GOOD).status_code in (404, 307)


@pytest.mark.slow
def test_a9_fuzzed_bodies_crash_nothing_over_http(tmp_path: Path) -> None:
    chance = random.Random(9)  # noqa: S311 - no secret
    with http_server(tmp_path) as server, httpx2.Client(timeout=30) as client:
        headers = {**GOOD, "Accept": ACCEPT, "Content-Type": "application/json"}
        hello = client.post(server.url, headers=headers, content=FRAMES[0])
        session = {"mcp-session-id": hello.headers["mcp-session-id"]}
        for number in range(FUZZED):
            body = mutate(chance, chance.choice(FRAMES))
            sent = {**headers, **(session if number % 3 == 0 else {})}
            if number % 3 == 1:
                sent["mcp-protocol-version"] = chance.choice(("2026-07-28", "2025-11-25", "x"))
            with client.stream("POST", server.url, headers=sent, content=body) as response:
                assert response.status_code < 500, body
                if response.headers.get("content-type") == "application/json":
                    json.loads(response.read() or b"{}")
        assert client.post(server.url, headers=headers, content=FRAMES[0]).status_code == 200
        assert server.process.poll() is None


# Sessions


class MovedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock a test can put ahead."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


class Sessions:
    """An application in this process, and the sessions that clients have opened."""

    def __init__(self, where: Path) -> None:
        plans = ServedPlans(str(where), None, "agent")
        self.sdk = sdk_server(PlanServer(Service(VERSION, "default", plans)))
        self.app = make_app(self.sdk, TOKEN, "127.0.0.1")
        self.close = plans.close

    async def post(self, body: bytes, *more: tuple[bytes, bytes]) -> tuple[int, dict[bytes, bytes]]:
        """Send a message; return the status and the headers of the answer."""
        headers = [(b"host", b"127.0.0.1:80"), (b"authorization", f"Bearer {TOKEN}".encode())]
        kinds = [(b"accept", ACCEPT.encode()), (b"content-type", b"application/json")]
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "query_string": b"",
            "server": ("127.0.0.1", 80),
            "scheme": "http",
            "http_version": "1.1",
            "headers": [*headers, *kinds, *more],
        }
        parts, started = [{"type": "http.request", "body": body}], []

        async def receive() -> Any:
            return parts.pop() if parts else await asyncio.Event().wait()

        async def send(part: Any) -> None:
            if part["type"] == "http.response.start":
                started.append((part["status"], dict(part["headers"])))

        await self.app(scope, receive, send)
        return started[0]

    def count(self) -> int:
        return len(self.sdk.session_manager._server_instances)  # noqa: SLF001

    async def wait_until(self, count: int) -> None:
        """Let the tasks of sessions end, which tell nobody."""
        for _ in range(1_000):
            if self.count() == count:
                break
            await asyncio.sleep(0)
        assert self.count() == count


@pytest.mark.slow
def test_a9_sessions_that_clients_abandon_are_freed_after_five_minutes(tmp_path: Path) -> None:
    many, loop = 5_000, MovedLoop()
    sessions = Sessions(tmp_path)

    async def talk() -> None:
        async with sessions.sdk.session_manager.run():
            for _ in range(many):
                status, headers = await sessions.post(FRAMES[0])
                assert status == 200
            assert sessions.count() == many
            loop.ahead += 200
            used = (b"mcp-session-id", headers[b"mcp-session-id"])
            assert (await sessions.post(FRAMES[1], used))[0] == 200
            loop.ahead += 101
            await sessions.wait_until(1)
            assert (await sessions.post(FRAMES[1], used))[0] == 200
            loop.ahead += 301
            await sessions.wait_until(0)
            assert (await sessions.post(FRAMES[1], used))[0] == 404
            assert (await sessions.post(FRAMES[0]))[0] == 200

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(asyncio.wait_for(talk(), 100_000))  # by a clock that is put ahead
    sessions.close()


@pytest.mark.parametrize("number", [None, True, 1.5, [], {}])
def test_a9_a_request_with_an_id_that_is_none_is_answered_with_an_error_over_http(
    tmp_path: Path, number: object
) -> None:
    sessions = Sessions(tmp_path)
    message = {"jsonrpc": "2.0", "id": number, "method": "ping"}

    async def talk() -> None:
        async with sessions.sdk.session_manager.run():
            _, headers = await sessions.post(FRAMES[0])
            used = (b"mcp-session-id", headers[b"mcp-session-id"])
            assert (await sessions.post(json.dumps(message).encode(), used))[0] == 400
            for right in (1, "", -1, 2**80):
                sent = json.dumps({**message, "id": right}).encode()
                assert (await sessions.post(sent, used))[0] == 200
            del message["id"]
            assert (await sessions.post(json.dumps(message).encode(), used))[0] == 202

    run(talk())
    sessions.close()


# The token


def test_the_token_of_a_user_is_made_once_and_only_they_can_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    first, second = load_or_create_token(), load_or_create_token()

    assert (first.is_new, second.is_new) == (True, False)
    assert first.value == second.value == Path(first.path).read_text()
    assert len(first.value) > 40
    assert stat.S_IMODE(Path(first.path).stat().st_mode) == 0o600
    assert first.value not in repr(first)


def test_a_given_token_is_taken_out_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTLAST_MCP_TOKEN", TOKEN)

    assert take_token_from_environment() == AccessToken(TOKEN)
    assert "OUTLAST_MCP_TOKEN" not in os.environ
    assert take_token_from_environment() is None


@pytest.mark.parametrize("token", ["", "short", "x" * 15, "with a blank in it", "ümlaut" * 5])
def test_a_token_that_can_be_guessed_is_refused(
    monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("OUTLAST_MCP_TOKEN", token)

    with pytest.raises(InvalidArgument):
        take_token_from_environment()


@pytest.mark.slow
def test_a_new_token_is_printed_once(tmp_path: Path) -> None:
    printed = []
    for _ in range(2):
        with http_server(tmp_path, token=None, XDG_STATE_HOME=str(tmp_path / "state")) as server:
            printed.append(server.printed)
            token = (tmp_path / "state/outlast/mcp/token").read_text()
            authorized = [*good(server), ("Authorization", f"Bearer {token}")]
            del authorized[1]
            assert send(server, "POST", authorized, FRAMES[0])[0] == 200
    assert [token in lines for lines in printed] == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"OUTLAST_MCP_TOKEN": TOKEN}, {}])
def test_a9_the_token_is_in_nothing_that_is_written(tmp_path: Path, given: dict[str, str]) -> None:
    where, state, out = tmp_path / "project", tmp_path / "state", tmp_path / "printed"
    where.mkdir()
    kept = state / "outlast" / "mcp" / "token"
    variables = {"XDG_STATE_HOME": str(state), "OUTLAST_DEBUG": "1"}
    if not given:
        with http_server(where, token=None, **variables) as server:  # it shows a new token
            assert httpx2.get(server.url).status_code == 401
    token = TOKEN if given else kept.read_text()
    with out.open("wb") as printed:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*COMMAND, "--http", "0"],
            cwd=where,
            env=environment(**given, **variables),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
        )
        written = use_everything(out, token)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file != kept]
    assert out in files
    for text in (*written, *(file.read_bytes() for file in files)):
        assert token.encode() not in text


def use_everything(printed: Path, token: str) -> list[bytes]:
    """Send requests that are right and wrong; return the answers with their headers."""
    end = time.monotonic() + 30
    while not (url := re.search(r"http://[^;\s]+", printed.read_text())):
        assert time.monotonic() < end
        time.sleep(0.05)
    answers = []
    authorized = {"Authorization": f"Bearer {token}"}
    client_headers = {"Accept": ACCEPT, "Content-Type": "application/json"}
    call = {"name": "add_tasks", "arguments": {"tasks": ["A"], "nonsense": token[:5]}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    with httpx2.Client(timeout=30) as client:
        for headers in (
            {**client_headers, **authorized},
            {**client_headers, **authorized, "mcp-session-id": "none"},
            {**client_headers, **authorized, "mcp-protocol-version": "x"},
            {**client_headers, **authorized, "Origin": "http://evil.example"},
            {**client_headers, **authorized, "Host": "evil.example"},
            {**client_headers, "Authorization": f"Basic {token}"},
            {**client_headers, "Authorization": f"Bearer {token}x"},
            authorized,
        ):
            for body in (FRAMES[0], b"{", json.dumps(message).encode()):
                response = client.post(url[0], headers=headers, content=body)
                answers.append(str(response.headers).encode() + response.content)
    assert len(answers) == 24
    return answers


@pytest.mark.parametrize("where", ["0.0.0.0:0", "[::]:0", "example.org:80"])
def test_a9_an_address_that_others_reach_needs_a_token_that_was_given(
    tmp_path: Path, where: str
) -> None:
    done = run_outlast(tmp_path, "mcp", "--http", where)

    assert done.returncode != 0
    assert "OUTLAST_MCP_TOKEN" in done.stderr


@pytest.mark.slow
def test_other_machines_are_served_with_a_token_that_was_given(tmp_path: Path) -> None:
    with http_server(tmp_path, "--http", "0.0.0.0:0") as server:
        local = server._replace(url=f"http://127.0.0.1:{server.port}/mcp")
        assert send(local, "POST", good(local), FRAMES[0])[0] == 200
        assert send(local, "POST", replaced("Authorization")(local), FRAMES[0])[0] == 401


@pytest.mark.parametrize(
    ("value", "host", "port"),
    [
        ("8765", "127.0.0.1", 8765),
        ("localhost:80", "localhost", 80),
        ("[::1]:0", "::1", 0),
        ("10.0.0.1:65535", "10.0.0.1", 65_535),
    ],
)
def test_addresses_are_a_port_or_a_host_and_a_port(value: str, host: str, port: int) -> None:
    assert ListenAddress.parse(value) == ListenAddress(host, port)


@pytest.mark.parametrize("value", ["", "x", "localhost", ":80", "80:", "127.0.0.1:65536", "-1"])
def test_other_addresses_are_refused(value: str) -> None:
    with pytest.raises(InvalidArgument):
        ListenAddress.parse(value)


def test_an_address_that_is_taken_is_reported(tmp_path: Path) -> None:
    with ListenAddress("127.0.0.1", 0).listen() as taken:
        done = run_outlast(tmp_path, "mcp", "--http", str(taken.getsockname()[1]))

    assert done.returncode != 0
    assert "cannot serve there" in done.stderr


def test_a_guard_lets_no_web_socket_through() -> None:
    async def app(*_arguments: object) -> None:
        raise AssertionError

    async def nothing(*_arguments: object) -> Any:
        return {}

    run(Guard(app, TOKEN, "127.0.0.1")({"type": "websocket"}, nothing, nothing))


def test_no_answer_waits_for_the_client_to_acknowledge_a_piece_of_it() -> None:
    with (
        ListenAddress("127.0.0.1", 0).listen() as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
