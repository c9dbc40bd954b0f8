"""Subscribers hear of changes, whoever makes them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

import outlast
from outlast.mcp.http import make_app
from outlast.mcp.sdk_server import sdk_server
from outlast.mcp.served_plans import ServedPlans
from outlast.mcp.server import PlanServer
from outlast.mcp.service import Service
from outlast.mcp.watch import ResourceWatch
from outlast.plan.plan import Plan
from tests.cli.processes import stdout_of
from tests.mcp.clients import (
    MODES,
    TOKEN,
    VERSION,
    HttpServer,
    http_server,
    inside,
    over_http,
    over_stdio,
    run,
    text_of,
)

# In the older protocol there is no other way to subscribe.
pytestmark = pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
CURRENT = "plan://current"
ALL = ("", "/brief", "/findings", "/errors", "/graph")
Connect = Callable[..., Any]


class Heard:
    """The addresses of the resources that were reported as changed."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self._news = asyncio.Event()

    async def __call__(self, message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self.add(str(message.params.uri))

    def add(self, uri: str) -> None:
        self.uris.append(uri)
        self._news.set()

    async def wait_for(self, *uris: str) -> None:
        """Wait until all of them were reported, in any order; forget them."""
        async with asyncio.timeout(20):
            while not {*uris} <= {*self.uris}:
                self._news.clear()
                await self._news.wait()
        self.uris.clear()


@asynccontextmanager
async def subscribed(
    connect: Connect, mode: str, *uris: str
) -> AsyncIterator[tuple[Client, Heard]]:
    """Connect and subscribe in the way of the protocol."""
    heard = Heard()
    async with connect(mode, heard) as client:
        if mode == "legacy":
            for uri in uris:
                await client.subscribe_resource(uri)
            yield client, heard
            return
        async with client.listen(resource_subscriptions=list(uris)) as events:

            async def follow() -> None:
                async for event in events:
                    heard.add(event.uri)

            following = asyncio.create_task(follow())
            yield client, heard
            following.cancel()


async def play(where: Path, connect: Connect, mode: str) -> None:
    """Change a plan through the server and from elsewhere."""
    uris = [f"{CURRENT}{path}" for path in ALL]
    async with subscribed(connect, mode, *uris) as (client, heard):
        await text_of(client, "add_tasks", tasks=["A", "B"], goal="Ship it")
        await heard.wait_for(CURRENT, f"{CURRENT}/brief", f"{CURRENT}/graph")
        await asyncio.to_thread(stdout_of, where, "note", "The port is 8080", "--as", "kim")
        await heard.wait_for(f"{CURRENT}/findings", f"{CURRENT}/brief")
        assert f"{CURRENT}/graph" not in heard.uris
        await asyncio.to_thread(stdout_of, where, "add", "C")
        await heard.wait_for(CURRENT, f"{CURRENT}/graph")


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_changes_are_reported_over_stdio(tmp_path: Path, mode: str) -> None:
    run(play(tmp_path, lambda mode, heard: over_stdio(tmp_path, mode, heard=heard), mode))


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_changes_are_reported_over_http(tmp_path: Path, mode: str) -> None:
    with http_server(tmp_path) as server:
        run(play(tmp_path, to(server), mode))


def to(server: HttpServer) -> Connect:
    return lambda mode, heard: over_http(server, mode, heard=heard)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_each_client_hears_only_what_it_has_subscribed_to(tmp_path: Path, mode: str) -> None:
    outlast.create_plan(tmp_path, "One").close()
    outlast.create_plan(tmp_path, "Two").close()

    async def talk(server: HttpServer) -> None:
        async with (
            subscribed(to(server), mode, "plan://one") as (_, first),
            subscribed(to(server), mode, "plan://two") as (_, second),
        ):
            with outlast.open_plan(tmp_path, "one") as plan:
                plan.add("A")
            await first.wait_for("plan://one")
            with outlast.open_plan(tmp_path, "two") as plan:
                plan.add("A")
            await second.wait_for("plan://two")
            assert first.uris == []

    with http_server(tmp_path) as server:
        run(talk(server))


@pytest.mark.slow
def test_nobody_hears_what_they_have_unsubscribed_from(tmp_path: Path) -> None:
    async def talk(unsubscribe: Callable[[Client], Awaitable[object]]) -> None:
        async def connect(_mode: str, heard: Heard) -> AsyncIterator[Client]:
            async with over_stdio(tmp_path, "legacy", heard=heard) as client:
                yield client

        opened = asynccontextmanager(connect)
        async with subscribed(opened, "legacy", CURRENT, f"{CURRENT}/graph") as (client, heard):
            await unsubscribe(client)
            await text_of(client, "add_tasks", tasks=["A"])
            await heard.wait_for(f"{CURRENT}/graph")
            await asyncio.sleep(0.5)
            assert heard.uris == []

    run(talk(lambda client: client.unsubscribe_resource(CURRENT)))


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_another_current_plan_is_noticed(tmp_path: Path, mode: str) -> None:
    outlast.create_plan(tmp_path, "One").close()

    async def talk() -> None:
        def connect(mode: str, heard: Heard) -> Any:
            return over_stdio(tmp_path, mode, heard=heard)

        async with subscribed(connect, mode, CURRENT) as (_, heard):
            await asyncio.to_thread(stdout_of, tmp_path, "drop", "one")
            await heard.wait_for(CURRENT)
            await asyncio.to_thread(stdout_of, tmp_path, "new", "Two")
            await heard.wait_for(CURRENT)

    run(talk())


def test_a_resource_that_cannot_be_is_not_subscribed_to(tmp_path: Path) -> None:
    async def talk() -> None:
        async with inside(tmp_path, "legacy") as client:
            with pytest.raises(MCPError):
                await client.subscribe_resource("file:///etc/passwd")
            await client.subscribe_resource("plan://to-come")
            await client.subscribe_resource("plan://to-come")
            await client.unsubscribe_resource("plan://to-come")
            await client.unsubscribe_resource("plan://to-come")

    run(talk())


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a9_the_subscriptions_of_a_session_end_with_it(tmp_path: Path, *, is_deleted: bool) -> None:
    plans = ServedPlans(str(tmp_path), None, "agent")
    server = PlanServer(Service(VERSION, "default", plans))
    sdk = sdk_server(server)
    app = make_app(sdk, TOKEN, "127.0.0.1")

    async def talk() -> None:
        async with (
            sdk.session_manager.run(),
            httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app), headers={"Authorization": f"Bearer {TOKEN}"}
            ) as http,
        ):
            transport = streamable_http_client(
                "http://127.0.0.1:8765/mcp", http_client=http, terminate_on_close=is_deleted
            )
            async with Client(transport, mode="legacy") as client:
                await client.subscribe_resource(CURRENT)
                await client.subscribe_resource(f"{CURRENT}/graph")
                subscribed = [*server.resources._subscriptions.values()]  # noqa: SLF001
                assert subscribed == [{CURRENT, f"{CURRENT}/graph"}]
            # The session ends in its own task, and tells nobody.
            while is_deleted and server.resources._subscriptions:  # noqa: ASYNC110, SLF001
                await asyncio.sleep(0)
        assert not server.resources._subscriptions  # noqa: SLF001
        assert not server.resources._watch._counts  # noqa: SLF001
        await server.close()

    run(talk())
    plans.close()


class FailingPlans(ServedPlans):
    """The plans of a workspace, of which one cannot be looked for."""

    def find(self, key: str | None = None, *, goal: str = "") -> Plan | None:
        if key == "bad":
            raise RuntimeError(key)
        return super().find(key, goal=goal)


def test_a9_a_resource_that_fails_ends_no_other_notification(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    outlast.create_plan(tmp_path, "One").close()
    plans, heard = FailingPlans(str(tmp_path), None, "agent"), Heard()

    async def publish(uri: str) -> None:
        heard.add(uri)
        if uri == CURRENT:
            raise RuntimeError(uri)

    async def talk() -> None:
        watch = ResourceWatch(plans, "en", publish)
        for uri in ("plan://bad", CURRENT, "plan://one"):
            await watch.add(uri)
        for name in ("A", "B"):
            with outlast.open_plan(tmp_path, "one") as plan:
                plan.add(name)
            await heard.wait_for(CURRENT, "plan://one")
        await watch.close()

    run(talk())
    plans.close()
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert errors == [
        "plan://bad could not be read",
        *["a change of plan://current could not be reported"] * 2,
    ]


class WaitingPlans(ServedPlans):
    """The plans of a workspace, which are looked for for as long as a test wants."""

    is_asked = Event()
    may_answer = Event()

    def find(self, key: str | None = None, *, goal: str = "") -> Plan | None:
        self.is_asked.set()
        assert self.may_answer.wait(60)
        return super().find(key, goal=goal)


def test_a9_what_is_unsubscribed_from_while_it_is_subscribed_to_is_not_watched(
    tmp_path: Path,
) -> None:
    plans = WaitingPlans(str(tmp_path), None, "agent")

    async def talk() -> None:
        watch = ResourceWatch(plans, "en", lambda _uri: asyncio.sleep(0))
        adding = asyncio.create_task(watch.add(CURRENT))
        assert await asyncio.to_thread(plans.is_asked.wait, 60)
        watch.remove(CURRENT)
        plans.may_answer.set()
        await adding
        assert not watch._seen  # noqa: SLF001 - what it reads again every second
        await watch.close()

    run(talk())
    plans.close()
