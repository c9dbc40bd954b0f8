"""The published MCP inspector, which `./dev test` fetches, as a client that is not ours."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from outlast.application.tools.server_sets import SERVER_SETS, ServerSet, tool_listing
from tests.interfaces.cli.processes import environment
from tests.interfaces.mcp.clients import COMMAND, TOKEN, http_server

pytestmark = pytest.mark.slow
PLACE = os.environ.get("OUTLAST_INSPECTOR_BIN", "")
PATHS = ("", "/brief", "/findings", "/errors", "/graph")
ADD = ("--tool-name", "add_tasks", "--tool-arg", 'tasks=["A", "B"]', "--tool-arg", "goal=Ship it")


def inspect(where: Path, *arguments: str, method: str) -> Any:
    """Return what the inspector prints that a method has answered."""
    program = Path(PLACE, "mcp-inspector")
    assert PLACE, "the MCP inspector is missing: ./dev test fetches it"
    done = subprocess.run(  # noqa: S603 - the published program
        [program, "--cli", *arguments, "--method", method],
        capture_output=True,
        cwd=where,
        env=environment(),
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def play(where: Path, *target: str) -> None:
    """List everything, call a tool, and read every resource."""
    added = inspect(where, *target, *ADD, method="tools/call")
    assert added["structuredContent"] == {"answer": "Added 1-2, 0/2 done. Now 1."}
    listed = inspect(where, *target, method="resources/list")["resources"]
    assert [each["uri"] for each in listed] == [
        *(f"plan://current{path}" for path in PATHS),
        "plan://ship-it",
    ]
    templates = inspect(where, *target, method="resources/templates/list")["resourceTemplates"]
    assert len(templates) == len(PATHS)
    for path in PATHS:
        address = f"plan://current{path}"
        read = inspect(where, *target, "--uri", address, method="resources/read")
        assert read["contents"][0]["text"]


@pytest.mark.parametrize("which", SERVER_SETS)
def test_the_inspector_lists_the_tools(tmp_path: Path, which: ServerSet) -> None:
    # An option of the server would be one of the inspector's.
    script = tmp_path / "serve"
    script.write_text(f"#!/bin/sh\nexec {' '.join(COMMAND)} --tools {which}\n")
    script.chmod(0o700)

    listed = inspect(tmp_path, str(script), method="tools/list")["tools"]

    assert [tool["name"] for tool in listed] == [tool["name"] for tool in tool_listing(which)]


def test_the_inspector_uses_a_plan_over_stdio(tmp_path: Path) -> None:
    script = tmp_path / "serve"
    script.write_text(f"#!/bin/sh\nexec {' '.join(COMMAND)}\n")
    script.chmod(0o700)

    play(tmp_path, str(script))


def test_the_inspector_uses_a_plan_over_http(tmp_path: Path) -> None:
    with http_server(tmp_path) as server:
        header = f"Authorization: Bearer {TOKEN}"
        play(tmp_path, server.url, "--transport", "http", "--header", header)
