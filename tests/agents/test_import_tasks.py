"""U9: what the real Claude Code keeps of its tasks is imported as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from outlast import open_plan
from outlast.context.chat_model import Call, Reply
from tests.agents.client import run_client
from tests.agents.coder import USAGE
from tests.agents.scene import open_scene
from tests.cli.processes import json_of
from tests.fake_model import FakeModel

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fake_model import ModelRequest

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.xdist_group("agents")]
CALLS: Final = (
    Call("TaskCreate", {"subject": "Find the bug", "description": "In the parser"}),
    Call("TaskCreate", {"subject": "Fix it", "description": "-", "activeForm": "Fixing it"}),
    Call("TaskUpdate", {"taskId": "2", "addBlockedBy": ["1"]}),
    Call("TaskUpdate", {"taskId": "1", "status": "in_progress", "owner": "mira"}),
)
VARIABLES: Final[dict[str, Any]] = {
    "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",
    "CLAUDE_CODE_ENABLE_TASKS": "1",
}


class Planner(FakeModel):
    """Makes its calls one after the other, then says that it is done."""

    async def reply(self, request: ModelRequest) -> Reply:
        done = sum(len(message.calls) for message in request.messages)
        return Reply("Next.", CALLS[done : done + 1], USAGE)


def test_u9_the_tasks_of_a_session_of_claude_code_become_a_plan(tmp_path: Path) -> None:
    with open_scene(tmp_path, Planner()) as scene:
        run = run_client(scene, "claude-code", "Plan it.", **VARIABLES)
        assert run.returncode == 0, run.stderr
        [directory] = (scene.home / "claude" / "tasks").iterdir()
        answer = json_of(scene.workspace, "import", str(directory), "--key", "bug")
        assert (answer["format"], answer["not_read"]) == ("claude-tasks", [])
        with open_plan(str(scene.workspace), "bug") as plan:
            first, second = plan.tasks()
    assert (first.name, first.description) == ("Find the bug", "In the parser")
    assert (first.status, first.extra) == ("in_progress", '{"owner": "mira"}')
    assert (second.name, second.needs, second.active_form) == ("Fix it", (1,), "Fixing it")
