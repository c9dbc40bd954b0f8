"""The MCP server in a real Claude Code: it works on the plan of the session, and on no other."""

from pathlib import Path

import pytest

from outlast import open_plan
from outlast.context.chat_model import Call
from tests.agents.hosts.hooked import open_host

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.xdist_group("agents")]


def test_a_session_changes_a_plan_through_the_server_only_once_it_is_attached(
    tmp_path: Path,
) -> None:
    complete = Call("mcp__outlast__complete_task", {"task": 1, "result": "written"})
    options = ("--allowedTools", "mcp__outlast")
    with open_host(tmp_path, "claude-code") as claude:
        claude.init("--mcp")
        claude.outlast("new", "Add OAuth", "--key", "oauth")
        claude.outlast("add", "Write the callback")

        unattached = claude.prompt("Say hello.", complete, "Hello.", options=options)
        with open_plan(claude.scene.workspace, "oauth") as plan:
            assert plan.task(1).status == "pending"
        assert " attach oauth" in unattached.request()

        attached = claude.prompt(claude.slash("resume"), complete, "Hello.", options=options)
        with open_plan(claude.scene.workspace, "oauth") as plan:
            assert plan.task(1).status == "completed"
        assert "1/1 done" in attached.request()
