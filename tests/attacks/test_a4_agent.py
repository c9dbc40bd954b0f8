"""A4: whatever key a plan has and whatever its model names, it stays in its workspace."""

import asyncio
from pathlib import Path

import pytest

from outlast import AgentLoop
from outlast.agent.tools.choice import built_in_tools
from outlast.errors import InvalidArgument
from outlast.models import Call
from outlast.testing import ScriptedModel, Turn

KEYS = (
    "../../evil",
    "/evil",
    "..",
    ".",
    "a/../../b",
    "~/evil",
    "a\nb",
    "a\x00b",
    "evil\u202e",
    "COM1",
)
REFS = ("../1", "1/../../x", "1#1", "0#../x", -1, 10**30, "\x00")


def calls(ref: object) -> tuple[Call, ...]:
    path = f"../{ref}.txt"
    return (
        Call("complete_task", {"task": ref, "result": "x"}),
        Call("set_progress", {"task": ref, "current": 1, "total": 2}),
        Call("read_file", {"path": path}),
        Call("write_file", {"path": path, "content": "x"}),
        Call("glob", {"pattern": path}),
        Call("bash", {"command": "true", "cwd": path}),
    )


TURNS = (
    Turn(after_tool="plan_read", say="Enough."),
    Turn("<plan>", calls=(*(call for ref in REFS for call in calls(ref)), Call("plan_read", {}))),
    Turn(calls=(Call("list_directory", {"path": "."}),)),
)


@pytest.mark.parametrize("key", KEYS)
def test_a4_no_key_and_no_path_leads_out_of_the_workspace(tmp_path: Path, key: str) -> None:
    work = tmp_path / "a" / "work"
    work.mkdir(parents=True)
    agent = AgentLoop(
        model=ScriptedModel(TURNS),
        tools=built_in_tools(str(work)),
        workdir=work,
        key=key,
        max_iterations=3,
    )
    try:
        asyncio.run(agent.run("Look around"))
    except InvalidArgument as error:
        assert error.details["argument"] == "key"  # noqa: PT017 - refused, or mapped
    beside = [path for path in tmp_path.rglob("*") if work not in (path, *path.parents)]
    assert beside == [tmp_path / "a"]
    assert {path.name for path in work.iterdir()} <= {".outlast"}
