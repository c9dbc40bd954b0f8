"""The published MCP inspector, which `./dev test` fetches, as a client that is not ours."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outlast.plan.tools.server_sets import SERVER_SETS, ServerSet, tool_listing
from tests.cli.processes import environment
from tests.mcp.clients import COMMAND, TOKEN, http_server

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


def call_tool(where: Path, target: tuple[str, ...], tool: str, *arguments: str) -> Any:
    """Return the structured answer to a call that is not refused."""
    options = [word for argument in arguments for word in ("--tool-arg", argument)]
    called = inspect(where, *target, "--tool-name", tool, *options, method="tools/call")
    assert not called.get("isError")
    return called["structuredContent"]


def read_plan(where: Path, target: tuple[str, ...]) -> str:
    read = inspect(where, *target, "--uri", "plan://current", method="resources/read")
    return str(read["contents"][0]["text"])


def use_plan_manager(where: Path, *target: str) -> None:
    """Change a plan by the functions of `PlanManager`, and read it."""
    tasks = json.dumps([{"name": "Boil"}, {"name": "Pour", "dependencies": ["Boil"]}])
    made = call_tool(where, target, "initializePlan", "goal=Tea", f"tasks={tasks}")
    assert made["data"]["total"] == 2
    status = call_tool(where, target, "getPlanStatus")
    assert (status["data"]["total_tasks"], status["data"]["blocked_tasks"]) == (2, 1)
    assert "○ Pour" in read_plan(where, target)


def use_todo_list(where: Path, *target: str) -> None:
    """Save a todo list as a plan, and read it."""
    todos = json.dumps([{"content": "Boil", "status": "pending", "activeForm": "Boiling"}])
    saved = call_tool(
        where, target, "todo_write", f"todos={todos}", "persist=true", "planTitle=Tea"
    )
    assert saved["answer"].startswith("Plan created")
    assert "# Tea" in call_tool(where, target, "plan_read")["answer"]
    assert "○ Boil" in read_plan(where, target)


def play(where: Path, *target: str) -> None:
    """List everything, call tools, and read every resource."""
    added = inspect(where, *target, *ADD, method="tools/call")
    assert added["structuredContent"] == {"answer": "Added 1-2, 0/2 done. Now 1."}
    assert "◐ A" in call_tool(where, target, "plan_read")["answer"]
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


USES: dict[ServerSet, Callable[..., None]] = {
    "default": play,
    "planmanager": use_plan_manager,
    "todo": use_todo_list,
}


@pytest.mark.parametrize("which", SERVER_SETS)
def test_the_inspector_uses_a_plan_over_stdio(tmp_path: Path, which: ServerSet) -> None:
    # An option of the server would be one of the inspector's.
    script = tmp_path / "serve"
    script.write_text(f"#!/bin/sh\nexec {' '.join(COMMAND)} --tools {which}\n")
    script.chmod(0o700)

    listed = inspect(tmp_path, str(script), method="tools/list")["tools"]

    assert [tool["name"] for tool in listed] == [tool["name"] for tool in tool_listing(which)]
    USES[which](tmp_path, str(script))


@pytest.mark.parametrize("which", SERVER_SETS)
def test_the_inspector_uses_a_plan_over_http(tmp_path: Path, which: ServerSet) -> None:
    with http_server(tmp_path, "--http", "0", "--tools", which) as server:
        header = f"Authorization: Bearer {TOKEN}"
        USES[which](tmp_path, server.url, "--transport", "http", "--header", header)
