"""One client on a stream, message by message: versions, ids, errors, cancellation, questions."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

import outlast
from outlast.mcp.connection import Connection
from outlast.mcp.json_rpc import read_message
from outlast.mcp.sdk_server import sdk_server
from outlast.mcp.served_plans import ServedPlans
from outlast.mcp.server import PlanServer
from outlast.mcp.service import HANDSHAKE_VERSIONS, Service
from outlast.plan.plan import Plan
from tests.mcp.clients import MODES, VERSION, connected, run
from tests.mcp.test_questions import Person

Json = dict[str, Any]
WHO = {"name": "test", "version": "1"}
KEY = "io.modelcontextprotocol/"
ENVELOPE = {f"{KEY}protocolVersion": "2026-07-28", f"{KEY}clientCapabilities": {"elicitation": {}}}
CURRENT = "plan://current"


class Peer:
    """A client that sends and reads single messages."""

    def __init__(self, server: PlanServer) -> None:
        self.connection = Connection(server, self._hear)
        self.heard: asyncio.Queue[Json] = asyncio.Queue()

    async def _hear(self, line: bytes) -> None:
        self.heard.put_nowait(json.loads(line))

    def send(self, message: object) -> None:
        self.connection.take(read_message(json.dumps(message).encode()))

    def request(self, number: object, method: str, **params: object) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self.send(message | ({"params": params} if params else {}))

    def notify(self, method: str, **params: object) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def next(self) -> Json:
        async with asyncio.timeout(60):
            return await self.heard.get()

    async def ask(self, number: object, method: str, **params: object) -> Json:
        self.request(number, method, **params)
        return await self.next()

    async def greet(self, version: str = "2025-11-25", **capabilities: object) -> Json:
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": WHO}
        return await self.ask(0, "initialize", **params)


@asynccontextmanager
async def peer_of(where: Path, plans: ServedPlans | None = None) -> AsyncIterator[Peer]:
    plans = plans or ServedPlans(str(where), None, "agent")
    server = PlanServer(Service(VERSION, "default", plans))
    peer = Peer(server)
    try:
        yield peer
    finally:
        await server.close()
        await peer.connection.close()
        plans.close()


def error_of(answer: Json) -> tuple[object, int]:
    return answer["id"], answer["error"]["code"]


async def answers_of(client: Client) -> list[Any]:
    """Return what a client is answered, without what the SDK adds on its side."""
    found: list[Any] = [
        client.server_info,
        client.server_capabilities,
        client.instructions,
        await client.list_tools(),
        await client.list_resources(),
        await client.list_resource_templates(),
        await client.call_tool("plan_read", {"includeCompleted": True}),
        await client.call_tool("complete_task", {"task": 9, "result": "x"}),
        await client.call_tool("ask_user", {"question": "Which?"}),
        await client.read_resource(CURRENT),
    ]
    for work in (
        client.call_tool("unknown", {}),
        client.read_resource("plan://unknown"),
        client.list_prompts(),
        client.get_prompt("x"),
    ):
        with pytest.raises(MCPError) as refusal:
            await work
        found.append((refusal.value.error.code, refusal.value.error.message))
    return found


@pytest.mark.parametrize("mode", MODES)
def test_r1_13_a_client_is_answered_the_same_with_and_without_the_sdk(
    tmp_path: Path, mode: str
) -> None:
    with outlast.create_plan(tmp_path, "Ship it") as plan:
        plan.add("A")
    plans = ServedPlans(str(tmp_path), None, "agent")
    server = PlanServer(Service(VERSION, "default", plans))

    async def talk() -> None:
        person = Person(*["Blue"] * 2)
        async with Client(connected(server), mode=mode, elicitation_callback=person) as client:
            ours = await answers_of(client)
        async with Client(sdk_server(server), mode=mode, elicitation_callback=person) as client:
            assert await answers_of(client) == ours
        assert len(person.asked) == 2

    run(talk())
    plans.close()


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "1999-01-01", "2026-07-28"])
def test_r1_13_a_handshake_agrees_on_a_version(tmp_path: Path, version: str) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            result = (await peer.greet(version))["result"]
            known = version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
            assert result["protocolVersion"] == known
            assert "tools" in (await peer.ask(1, "tools/list"))["result"]

    run(talk())


def test_a9_only_pings_and_a_handshake_are_answered_before_a_handshake(tmp_path: Path) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            assert error_of(await peer.ask(1, "tools/list")) == (1, -32602)
            assert error_of(await peer.ask(2, "prompts/list")) == (2, -32601)
            assert (await peer.ask(3, "ping"))["result"] == {}
            for params in ({}, {"protocolVersion": 5}, {"protocolVersion": "2025-11-25"}):
                assert error_of(await peer.ask(4, "initialize", **params)) == (4, -32602)
            assert error_of(await peer.ask(5, "tools/list")) == (5, -32602)
            await peer.greet()
            assert "result" in await peer.ask(6, "tools/list")

    run(talk())


@pytest.mark.parametrize("number", [0, -5, 2**80, "", "a", "7", "1.5", "é"])
def test_a9_a_request_with_any_string_or_integer_as_its_id_is_answered(
    tmp_path: Path, number: object
) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            answer = await peer.ask(number, "ping")
            assert (answer["id"], answer["result"]) == (number, {})
            assert type(answer["id"]) is type(number)

    run(talk())


@pytest.mark.parametrize("number", [None, True, False, 1.5, 1.0, [], {}, [1]])
def test_a9_a_request_with_any_other_id_is_answered_with_an_error(
    tmp_path: Path, number: object
) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            assert error_of(await peer.ask(number, "ping")) == (None, -32600)
            assert (await peer.ask(1, "ping"))["result"] == {}

    run(talk())


def test_r1_13_without_a_handshake_each_request_says_what_it_is(tmp_path: Path) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            result = (await peer.ask(1, "tools/list", _meta=ENVELOPE))["result"]
            assert result["resultType"] == "complete"
            assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
            assert result["_meta"] == {f"{KEY}serverInfo": {"name": "outlast", "version": VERSION}}
            other = {**ENVELOPE, f"{KEY}protocolVersion": "1999-01-01"}
            refused = (await peer.ask(2, "tools/list", _meta=other))["error"]
            assert refused["code"] == -32022
            assert refused["data"] == {"supported": ["2026-07-28"], "requested": "1999-01-01"}
            for meta in ({}, 5, {f"{KEY}protocolVersion": "2026-07-28"}):
                assert error_of(await peer.ask(3, "tools/list", _meta=meta)) == (3, -32602)
            for key in ENVELOPE:
                wrong = {**ENVELOPE, key: 5}
                assert error_of(await peer.ask(4, "tools/list", _meta=wrong)) == (4, -32602)
            assert error_of(await peer.greet()) == (0, -32022)
            assert error_of(await peer.ask(5, "ping", _meta=ENVELOPE)) == (5, -32601)
            assert "result" in await peer.ask(6, "tools/list", _meta=ENVELOPE)

    run(talk())


def test_r1_13_a_connection_keeps_the_kind_of_version_that_it_began_with(tmp_path: Path) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            await peer.greet()
            assert error_of(await peer.ask(1, "tools/list", _meta=ENVELOPE)) == (1, -32600)
            assert "result" in await peer.ask(2, "tools/list", _meta={"progressToken": 1})

    run(talk())


class Held(ServedPlans):
    """The plans of a workspace, which are looked for once a test lets them."""

    def __init__(self, where: Path) -> None:
        super().__init__(str(where), None, "agent")
        self.is_asked, self.may_answer = Event(), Event()

    def find(self, key: str | None = None, *, goal: str = "") -> Plan | None:
        self.is_asked.set()
        assert self.may_answer.wait(60)
        return super().find(key, goal=goal)


def test_a9_a_cancelled_request_is_not_answered_and_others_are(tmp_path: Path) -> None:
    plans = Held(tmp_path)

    async def talk() -> None:
        async with peer_of(tmp_path, plans) as peer:
            await peer.greet()
            for number in (1, "1"):
                peer.request(number, "tools/call", name="plan_read")
            assert await asyncio.to_thread(plans.is_asked.wait, 60)
            peer.notify("notifications/cancelled", requestId=1)
            others: tuple[object, ...] = (None, True, [], 99)
            for other in others:
                peer.notify("notifications/cancelled", requestId=other)
            assert (await peer.ask(2, "ping"))["id"] == 2
            plans.may_answer.set()
            assert (await peer.next())["id"] == "1"
            await peer.connection.finish(60)
            assert peer.heard.empty()

    run(talk())


def test_r1_13_a_client_may_fail_to_ask_and_is_told_its_own_error(tmp_path: Path) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            await peer.greet(elicitation={})
            asked = await peer.ask(1, "tools/call", name="ask_user", arguments={"question": "?"})
            assert asked["method"] == "elicitation/create"
            number, error = asked["id"], {"code": -32001, "message": "No screen"}
            peer.send({"jsonrpc": "2.0", "id": 99, "result": {}})  # to nothing that was asked
            peer.send({"jsonrpc": "2.0", "id": number, "error": error})
            peer.send({"jsonrpc": "2.0", "id": number, "error": error})
            answer = await peer.next()
            assert (answer["id"], answer["error"]) == (1, error)

    run(talk())


def test_a9_a_cancelled_question_is_withdrawn(tmp_path: Path) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            await peer.greet(elicitation={"form": {}})
            asked = await peer.ask(1, "tools/call", name="ask_user", arguments={"question": "?"})
            peer.notify("notifications/cancelled", requestId=1)
            withdrawn = await peer.next()
            assert withdrawn["method"] == "notifications/cancelled"
            assert withdrawn["params"] == {"requestId": asked["id"]}
            assert (await peer.ask(2, "ping"))["id"] == 2

    run(talk())


def test_a9_at_the_end_of_its_messages_a_client_is_asked_nothing_any_more(tmp_path: Path) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            await peer.greet(elicitation={})
            call = {"name": "ask_user", "arguments": {"question": "?"}}
            asked = await peer.ask(1, "tools/call", **call)
            assert asked["method"] == "elicitation/create"
            peer.request(2, "tools/call", **call)
            await peer.connection.finish(60)
            answers = [error_of(await peer.next()) for _ in range(2)]
            assert sorted(answers, key=str) == [(1, -32000), (2, -32000)]

    run(talk())


def test_r1_13_a_client_that_shows_only_addresses_is_asked_nothing(tmp_path: Path) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            await peer.greet(elicitation={"url": {}})
            answer = await peer.ask(1, "tools/call", name="ask_user", arguments={"question": "?"})
            assert answer["result"]["isError"]

    run(talk())


def test_r1_13_a_stream_of_notifications_ends_with_the_server(tmp_path: Path) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path) as peer:
            wanted = {"resourceSubscriptions": [CURRENT] * 2, "toolsListChanged": True}
            first = await peer.ask(1, "subscriptions/listen", notifications=wanted, _meta=ENVELOPE)
            assert first["method"] == "notifications/subscriptions/acknowledged"
            assert first["params"] == {
                "notifications": {"resourceSubscriptions": [CURRENT]},
                "_meta": {f"{KEY}subscriptionId": 1},
            }
            outlast.create_plan(tmp_path, "Ship it").close()
            changed = await peer.next()
            assert changed["params"] == {"uri": CURRENT, **_meta(1)}
            wrong = {"resourceSubscriptions": ["file:///etc/passwd"]}
            refused = await peer.ask(2, "subscriptions/listen", notifications=wrong, _meta=ENVELOPE)
            assert error_of(refused) == (2, -32002)
            await peer.connection._server.close()  # noqa: SLF001
            ended = await peer.next()
            assert (ended["id"], ended["result"]["_meta"][f"{KEY}subscriptionId"]) == (1, 1)
            peer.request(3, "subscriptions/listen", notifications={}, _meta=ENVELOPE)
            assert [(await peer.next()).get("id") for _ in range(2)] == [None, 3]

    run(talk())


def _meta(number: int) -> Json:
    return {"_meta": {f"{KEY}subscriptionId": number}}


class Broken(ServedPlans):
    """The plans of a workspace that cannot be read."""

    def find(self, key: str | None = None, *, goal: str = "") -> Plan | None:
        raise RuntimeError(key or goal)


def test_a9_a_fault_of_ours_answers_its_own_request_and_no_other(tmp_path: Path) -> None:
    async def talk() -> None:
        async with peer_of(tmp_path, Broken(str(tmp_path), None, "agent")) as peer:
            await peer.greet()
            answer = await peer.ask(1, "tools/call", name="plan_read")
            assert error_of(answer) == (1, -32603)
            assert (await peer.ask(2, "ping"))["result"] == {}

    run(talk())
