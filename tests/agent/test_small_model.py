"""A small model with its habits: broken JSON, empty arguments, invented tools, equal calls."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from outlast import AgentLoop
from outlast.agent.models.prompted import PromptedModel
from outlast.config.settings import Rules, Settings
from outlast.context.chat_model import Reply
from outlast.tools import built_in_tools
from tests.fake_model import FakeModel

if TYPE_CHECKING:
    from pathlib import Path

    from outlast.language import Language

LETTING_GO = Settings(rules=Rules(stop_limit=0))
ANSWER = '{"name": "answer", "arguments": {"text": "All done"}}'


def call(name: str, **arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def play(work: Path, *replies: str, **options: Any) -> tuple[str, FakeModel]:
    """Let a model speak these replies in a loop; return its answer and what it was asked."""
    model = FakeModel(map(Reply, (*replies, *[ANSWER] * 9)))
    agent = AgentLoop(
        model=PromptedModel(model),
        tools=built_in_tools(str(work)),
        workdir=work,
        settings=LETTING_GO,
        **options,
    )
    return asyncio.run(agent.run("Write hello.txt")).answer, model


def shown(model: FakeModel) -> str:
    return "\n".join(message.text for message in model.last_messages)


@pytest.mark.parametrize("planned", [True, False])
def test_its_calls_are_understood_as_they_are_written(tmp_path: Path, *, planned: bool) -> None:
    answer, _ = play(
        tmp_path,
        "```json\n{name: 'write_file', arguments: {'path': './hello.txt', content: 'Hello',}}\n```",
        'I append.\nbash(command="cat hello.txt >> copy.txt", cwd="", timeout="")',
        '{"name": "readFile", "arguments": {"path": "`/workspace/copy.txt`", "limit": 0',
        enable_planning=planned,
    )
    assert answer == "All done"
    assert (tmp_path / "copy.txt").read_text() == "Hello"


def test_a_broken_call_is_no_answer(tmp_path: Path) -> None:
    _, model = play(tmp_path, '{"name": "bash", "arguments": {"command": "echo "hi""}}')
    assert "A tool call was not run" in shown(model)
    assert len(model.requests) == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_invented_tool_is_answered_with_the_nearest_one(
    tmp_path: Path, language: Language
) -> None:
    _, model = play(tmp_path, call("write_to_file", path="a", content="b"), language=language)
    assert {"en": "did you mean write_file?", "zh": "是不是 write_file？"}[language] in shown(model)


@pytest.mark.parametrize("planned", [True, False])
def test_r4_07_it_does_not_repeat_an_equal_call_until_the_limit(
    tmp_path: Path, *, planned: bool
) -> None:
    failing = call("bash", command="echo x >> ran; exit 3", cwd="")
    _, model = play(tmp_path, *[failing] * 10, enable_planning=planned)
    assert (tmp_path / "ran").read_text() == "x\n" * 3
    assert "and was not run again" in shown(model)
    assert "asking the user" not in shown(model).lower()


def test_r0_14_it_can_read_the_views_that_it_is_sent_to(tmp_path: Path) -> None:
    _, model = play(
        tmp_path,
        call("add_tasks", tasks=["one"]),
        call("read_file", path="task_plan.md"),
        call("list_directory", path=".outlast/plans"),
    )
    key = next((tmp_path / ".outlast/plans").iterdir()).name
    assert f"did you mean .outlast/plans/{key}/task_plan.md?" in shown(model)
    assert f"{key}/" in shown(model)
