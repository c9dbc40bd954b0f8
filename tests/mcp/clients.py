"""Clients of the server: the official one in this process, over stdio, and over HTTP."""

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
from anyio import create_memory_object_stream
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from outlast.language import Language
from outlast.mcp.connection import Connection
from outlast.mcp.json_rpc import read_message
from outlast.mcp.served_plans import ServedPlans
from outlast.mcp.server import PlanServer
from outlast.mcp.service import Service
from outlast.plan.tools.server_sets import ServerSet
from tests.cli.processes import environment

MODES = ("legacy", "auto")
TOKEN = "a-token-of-the-tests"  # noqa: S105 - of no other server
VERSION = "9.9"
COMMAND = (sys.executable, "-m", "outlast", "mcp")


@asynccontextmanager
async def inside(  # noqa: PLR0913 - one keyword for each choice
    where: Path,
    mode: str,
    *,
    which: ServerSet = "default",
    key: str | None = None,
    actor: str | None = "agent",
    language: Language = "en",
    answer: Callable[..., Any] | None = None,
    is_persons_client: bool = True,
    process: str | None = None,
) -> AsyncIterator[Client]:
    """Connect with a server in this process."""
    plans = ServedPlans(str(where), key, actor, language, process)
    server = PlanServer(Service(VERSION, which, plans, language, is_persons_client))
    try:
        async with Client(connected(server), mode=mode, elicitation_callback=answer) as client:
            yield client
    finally:
        await server.close()
        plans.close()


@asynccontextmanager
async def connected(server: PlanServer) -> AsyncIterator[Any]:
    """Yield the client's two ends of a connection with a server."""
    to_client, messages = create_memory_object_stream[SessionMessage | Exception](100)
    answers, from_client = create_memory_object_stream[SessionMessage](100)

    async def send(line: bytes) -> None:
        await to_client.send(SessionMessage(jsonrpc_message_adapter.validate_json(line)))

    async def take(connection: Connection) -> None:
        async for sent in from_client:
            line = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            connection.take(read_message(line.encode()))

    connection = Connection(server, send)
    taking = asyncio.create_task(take(connection))
    try:
        yield messages, answers
    finally:
        taking.cancel()
        await connection.close()
        for stream in (to_client, messages, answers, from_client):
            stream.close()


@asynccontextmanager
async def over_stdio(
    where: Path,
    mode: str,
    *arguments: str,
    answer: Callable[..., Any] | None = None,
    heard: Callable[..., Any] | None = None,
    command: Sequence[str] = COMMAND[1:],
    **variables: str,
) -> AsyncIterator[Client]:
    """Start `outlast mcp` and connect with it."""
    parameters = StdioServerParameters(
        command=COMMAND[0],
        args=[*command, *arguments],
        cwd=str(where),
        env=environment(**variables),
    )
    transport = stdio_client(parameters, errlog=sys.__stderr__ or sys.stderr)
    async with Client(
        transport, mode=mode, elicitation_callback=answer, message_handler=heard
    ) as client:
        yield client


class HttpServer(NamedTuple):
    """A server in a process of its own, and what it has printed so far."""

    url: str
    process: subprocess.Popen[str]
    printed: str

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2].partition("/")[0])


@contextmanager
def http_server(
    where: Path, *arguments: str, token: str | None = TOKEN, **variables: str
) -> Iterator[HttpServer]:
    """Start `outlast mcp --http` on a free port, with a token or with the one of the user."""
    given = {} if token is None else {"OUTLAST_MCP_TOKEN": token}
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*COMMAND, *(arguments or ("--http", "0"))],
        cwd=where,
        env=environment(**given, **variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        printed = process.stderr.readline() + process.stderr.readline()
        url = re.search(r"http://[^;\s]+", printed)
        assert url, printed
        yield HttpServer(url[0], process, printed)
    finally:
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        process.stderr.close()
        assert process.wait(20) == 0, rest
        assert TOKEN not in rest


@asynccontextmanager
async def over_http(
    server: HttpServer,
    mode: str,
    *,
    token: str = TOKEN,
    answer: Callable[..., Any] | None = None,
    heard: Callable[..., Any] | None = None,
) -> AsyncIterator[Client]:
    """Connect with a server over HTTP."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(
            streamable_http_client(server.url, http_client=http),
            mode=mode,
            elicitation_callback=answer,
            message_handler=heard,
        ) as client,
    ):
        yield client


async def text_of(client: Client, tool: str, **arguments: object) -> str:
    """Call a tool; return its answer as text."""
    result = await client.call_tool(tool, arguments)
    content: Any = result.content[0]
    return str(content.text)


async def read(client: Client, uri: str) -> str:
    """Return the text of a resource."""
    contents: Any = (await client.read_resource(uri)).contents[0]
    return str(contents.text)


def run(test: Coroutine[Any, Any, None]) -> None:
    """Run a test; one that hangs fails."""
    asyncio.run(asyncio.wait_for(test, 90))
