"""The server over the standard streams: nothing but the protocol, from the first moment on."""

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import outlast
from outlast.plan.tools.server_sets import SERVER_SETS
from tests.cli.processes import environment
from tests.cli.processes import outlast as run_outlast
from tests.mcp.clients import COMMAND, MODES, over_stdio, run
from tests.mcp.frames import FRAMES, mutate
from tests.mcp.test_questions import Person
from tests.mcp.tool_calls import call_everything

Json = dict[str, Any]
HELLO = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
FUZZED = 3_000


def request(number: object, method: str, **params: object) -> Json:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message | {"params": params} if params else message


def initialize(version: str = "2025-11-25") -> Json:
    return request(0, "initialize", protocolVersion=version, **HELLO)


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def exchange(
    where: Path, lines: Iterable[bytes], *arguments: str, **variables: str
) -> tuple[list[Json], subprocess.CompletedProcess[bytes]]:
    """Send lines and close; return the messages that came back. Each line must be one."""
    done = subprocess.run(  # noqa: S603 - our own command
        [*COMMAND, *arguments],
        input=b"".join(line + b"\n" for line in lines),
        capture_output=True,
        cwd=where,
        env=environment(**variables),
        timeout=120,
        check=False,
    )
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    return messages, done


def start(where: Path, *command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own command
        command or COMMAND,
        cwd=where,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def encode(*messages: object) -> list[bytes]:
    return [json.dumps(message).encode() for message in messages]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("which", SERVER_SETS)
def test_every_tool_and_resource_answers_over_stdio(tmp_path: Path, mode: str, which: Any) -> None:
    async def talk() -> None:
        person = Person(*("yes", True))
        async with over_stdio(tmp_path, mode, "--tools", which, answer=person) as client:
            await call_everything(client, which)
            assert (await client.list_resource_templates()).resource_templates

    run(talk())


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_r1_13_no_sdk_is_needed_on_the_standard_streams(tmp_path: Path, mode: str) -> None:
    script = (
        "import sys; sys.modules.update(dict.fromkeys(('mcp', 'mcp_types', 'pydantic', 'anyio')));"
        "sys.argv = ['outlast', 'mcp']; from outlast.__main__ import main; sys.exit(main())"
    )

    async def talk() -> None:
        server = over_stdio(tmp_path, mode, answer=Person(*("yes", True)), command=("-c", script))
        async with server as client:
            await call_everything(client, "default")

    run(talk())


def test_r1_13_over_http_a_missing_sdk_is_named_with_what_installs_it(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['outlast', 'mcp', '--http', '0'];"
        "from outlast.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", script],
        capture_output=True,
        cwd=tmp_path,
        env=environment(),
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode != 0
    assert "outlast mcp --http" in done.stderr
    assert "[mcp]" in done.stderr


@pytest.mark.slow
def test_calls_are_answered_although_the_client_has_closed_its_end(tmp_path: Path) -> None:
    call = request(1, "tools/call", name="add_tasks", arguments={"tasks": ["A"]})

    messages, done = exchange(tmp_path, encode(initialize(), INITIALIZED, call))

    assert done.returncode == 0
    assert done.stderr == b""
    assert messages[-1]["result"]["structuredContent"] == {"answer": "Added 1, 0/1 done. Now 1."}


@pytest.mark.slow
def test_a9_what_a_check_prints_does_not_reach_the_client(tmp_path: Path) -> None:
    with outlast.create_plan(tmp_path, "Ship it", "x") as plan:
        plan.add("A", checks=[outlast.Check("command", "echo noise; echo noise >&2; cat")])
    assert run_outlast(tmp_path, "check", "--approve").returncode == 0
    call = request(1, "tools/call", name="complete_task", arguments={"task": 1, "result": "ok"})

    messages, _ = exchange(tmp_path, encode(initialize(), INITIALIZED, call))

    assert "1/1 done" in json.dumps(messages[-1])
    assert "noise" not in json.dumps(messages)


@pytest.mark.slow
def test_a_cancelled_call_stops_its_own_check_and_no_other(tmp_path: Path) -> None:
    stopped = "trap 'touch stopped; exit 1' TERM; touch one; sleep 60 & wait"
    waiting = "touch two; until test -e go; do sleep 0.05; done"
    with outlast.create_plan(tmp_path, "Ship it", "x") as plan:
        checks = [outlast.Check("command", f"{stopped} # {number}") for number in (1, 2)]
        plan.add("A", checks=checks)
        plan.add("B", checks=[outlast.Check("command", waiting)])
        plan.acting_as("human").checks.approve()
    calls = (
        request(n, "tools/call", name="completeTask", arguments={"task_id": n, "result": "ok"})
        for n in (1, 2)
    )
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}

    with start(tmp_path, *COMMAND, "--tools", "planmanager") as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(x + b"\n" for x in encode(initialize(), INITIALIZED, *calls)))
        server.stdin.flush()
        wait_for_file(tmp_path / "one")
        wait_for_file(tmp_path / "two")
        (tmp_path / "one").unlink()
        server.stdin.write(encode(cancelled)[0] + b"\n")
        server.stdin.flush()
        wait_for_file(tmp_path / "stopped")
        (tmp_path / "go").touch()
        answers = {}
        while 2 not in answers:
            message = json.loads(server.stdout.readline())
            answers[message["id"]] = json.dumps(message)
        server.stdin.close()
        assert server.wait(5) == 0  # nothing is waited for
    assert "success" in answers[2]
    assert not (tmp_path / "one").exists()
    with outlast.open_plan(tmp_path, "x") as plan:
        assert [task.finished for task in plan.tasks()] == [False, True]


def wait_for_file(path: Path) -> None:
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end, path
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_f25_a_signal_ends_the_server(tmp_path: Path, number: int) -> None:
    with start(tmp_path) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for line in encode(
            initialize(), request(1, "tools/call", name="add_tasks", arguments={"tasks": ["A"]})
        ):
            server.stdin.write(line + b"\n")
            server.stdin.flush()
            server.stdout.readline()
        server.send_signal(number)
        assert server.wait(20) == 0
        assert server.stdout.read() == b""
    views = list(tmp_path.glob(".outlast/plans/*/task_plan.md"))
    assert "A" in views[0].read_text()


@pytest.mark.slow
def test_a9_a_client_that_reads_nothing_does_not_keep_a_signal_from_ending_the_server(
    tmp_path: Path,
) -> None:
    with start(tmp_path) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        lists = [request(n, "tools/list") for n in range(1, 101)]
        for line in encode(initialize(), INITIALIZED, *lists):
            server.stdin.write(line + b"\n")
        server.stdin.flush()
        for _ in range(2):
            server.stdout.readline()
        wait_until_full(server.stdout.fileno())
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0


def wait_until_full(pipe: int) -> None:
    """Wait until a program stops writing into a pipe that is not read."""
    before, waiting = -1, 0
    while waiting != before or not waiting:
        time.sleep(0.5)
        count = fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4)
        before, waiting = waiting, int.from_bytes(count, sys.byteorder)


@pytest.mark.slow
def test_a9_ends_that_do_not_block_lose_nothing(tmp_path: Path) -> None:
    count = 200  # together far more than a pipe holds
    lists = [request(n, "tools/list") for n in range(1, count + 1)]
    lines = b"".join(line + b"\n" for line in encode(initialize(), INITIALIZED, *lists))
    source, target = os.pipe(), os.pipe()
    os.set_blocking(source[0], False)
    os.set_blocking(target[1], False)
    server = subprocess.Popen(  # noqa: S603 - our own command
        COMMAND, cwd=tmp_path, env=environment(), stdin=source[0], stdout=target[1]
    )
    os.close(source[0])
    os.close(target[1])
    with os.fdopen(source[1], "wb") as requests, os.fdopen(target[0], "rb") as answers:
        time.sleep(1)  # there is nothing to read yet
        requests.write(lines)
        requests.flush()
        wait_until_full(answers.fileno())
        messages = [json.loads(answers.readline()) for _ in range(count + 1)]
    assert server.wait(20) == 0
    assert {message["id"] for message in messages} == {*range(count + 1)}
    assert all("result" in message for message in messages)


@pytest.mark.slow
def test_a9_malformed_frames_are_answered_with_json_rpc_errors(tmp_path: Path) -> None:
    malformed = [b"{", b"[]", b"5", b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":7,"method":5}']

    messages, done = exchange(
        tmp_path, [*encode(initialize(), INITIALIZED), *malformed, *encode(request(9, "ping"))]
    )

    errors = [message["error"]["code"] for message in messages if "error" in message]
    assert sorted(errors) == [-32700, -32600, -32600, -32600, -32600]
    assert any(message.get("id") == 9 and "result" in message for message in messages)
    assert done.returncode == 0


@pytest.mark.slow
def test_a9_a_frame_without_end_is_dropped_and_reported(tmp_path: Path) -> None:
    long = b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (9 * 1024 * 1024)

    messages, done = exchange(tmp_path, [*encode(initialize()), long, *encode(request(9, "ping"))])

    assert [message.get("error", {}).get("message") for message in messages] == [
        None,
        "Request too large",
        None,
    ]
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a9_fuzzed_frames_crash_nothing_over_stdio(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    opening = encode(initialize(), INITIALIZED) if seed else []
    fuzzed = [
        mutate(chance, chance.choice(FRAMES)).replace(b"\n", b" ") for _ in range(FUZZED // 3)
    ]

    messages, done = exchange(
        tmp_path, [*opening, *fuzzed, *encode(initialize(), request("last", "ping"))]
    )

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert any(message.get("id") == "last" for message in messages)
    assert all("error" in m or "result" in m or "method" in m for m in messages)


def test_a_person_cannot_be_the_one_who_serves(tmp_path: Path) -> None:
    done = run_outlast(tmp_path, "mcp", "--as", "human")

    assert done.returncode != 0
    assert "never as human" in done.stderr
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - names are enough
