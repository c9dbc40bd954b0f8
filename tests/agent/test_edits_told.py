"""X1: what a person changes while an agent works reaches the model before its next request."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast import AgentLoop, create_plan, open_plan
from outlast.config.settings import LoopSettings, Rules, Settings
from outlast.context.chat_model import Call, Reply
from outlast.model.model import PERSON
from outlast.tools import as_tool
from tests.cli.processes import stdout_of
from tests.fake_model import FakeModel, ModelRequest

SETTINGS = Settings(loop=LoopSettings(policy="explicit"), rules=Rules(stop_limit=0))
QUIET = 0.4  # seconds after which a save is complete


@pytest.fixture
def here(tmp_path: Path) -> Path:
    with create_plan(tmp_path, "Build a house", "house") as plan:
        plan.add("Ground")
        plan.add("Wall")
    return tmp_path


def rename_in_file(here: Path) -> None:
    path = here / ".outlast" / "plans" / "house" / "task_plan.md"
    text = path.read_text("utf-8")
    path.write_text(text.replace("Wall\n", "Walls\n"), "utf-8")


def rename_by_command(here: Path) -> None:
    stdout_of(here, "edit", "2", "--name", "Walls")


def rename_by_library(here: Path) -> None:
    with open_plan(here, "house", actor=PERSON) as plan:
        plan.update(2, name="Walls")


def told(request: ModelRequest) -> list[str]:
    texts = [message.text for message in request.messages if message.role == "user"]
    lines = [line for text in texts for line in text.splitlines()]
    return [line for line in lines if line.startswith(("The user ", "task_plan.md was"))]


def work(
    here: Path,
    edit: Callable[[Path], None] | None = None,
    during: Callable[[Path], None] | None = None,
) -> list[list[str]]:
    """Run an agent on the plan; edit during its first request or its first tool call."""

    async def act(_request: ModelRequest) -> None:
        if edit and len(model.requests) == 1:
            await asyncio.to_thread(edit, here)
            await asyncio.sleep(QUIET)

    async def poke() -> str:
        """Poke it."""
        if during:
            await asyncio.to_thread(during, here)
            await asyncio.sleep(QUIET)
        return "poked"

    calls = [Reply("", (Call("poke", {}, f"c{number}"),)) for number in range(2)]
    model = FakeModel([*calls, Reply("Bye")], on_request=act)
    agent = AgentLoop(
        model=model, tools=[as_tool(poke)], workdir=here, key="house", settings=SETTINGS
    )
    asyncio.run(agent.run("Build a house"))
    return [told(request) for request in model.requests]


@pytest.mark.parametrize("edit", [rename_in_file, rename_by_command, rename_by_library])
def test_x1_the_next_request_tells_what_a_person_changed(
    here: Path, edit: Callable[[Path], None]
) -> None:
    lines = ['The user renamed task 2 to "Walls".']
    assert work(here, edit) == [[], lines, lines]
    assert work(here)[0] == [], "also the next process does not tell it again"


def test_x1_an_edit_while_a_tool_ran_is_told_without_an_author(here: Path) -> None:
    lines = ['task_plan.md was changed: renamed task 2 to "Walls".']
    requests = work(here, during=rename_in_file)
    assert requests[1:] == [lines, lines]
