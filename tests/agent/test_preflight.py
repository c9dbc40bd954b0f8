"""Issue 16: an agent that is a program is tried before the first task of a run."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from outlast import NewTask, create_plan
from outlast.agent.agent_loop import RunResult
from outlast.config.settings import OrchestratorSettings, Settings
from outlast.orchestrator.agents.claude_code import ClaudeCodeAgent
from outlast.orchestrator.orchestrator_loop import OrchestratorLoop
from tests.orchestrator.agents.programs import fake_program

REPORT = {"status": "SUCCESS", "results": "built", "pitfalls": "", "next_steps": ""}
LINE = {"type": "result", "session_id": "s-1", "structured_output": REPORT}
OBEY = """
import re
given = json.loads(open(sys.argv[0].replace('claude', 'call.json')).read())[2]
wanted = re.search(r"word (\\S+) into the file (\\S+),", given)
open("prompts", "a").write(given.replace("\\n", " ") + "\\n")
if wanted: open(wanted[2], "w").write(wanted[1])
"""


def work(tmp_path: Path, then: str, **options: Any) -> tuple[RunResult, list[str]]:
    (tmp_path / "bin").mkdir(exist_ok=True)
    workspace = tmp_path / "work"
    if not workspace.exists():
        workspace.mkdir()
        with create_plan(workspace, "A house", "k") as plan:
            plan.add_all([NewTask("walls")])
    program = fake_program(tmp_path / "bin" / "claude", [LINE], then=then)
    agent = ClaudeCodeAgent(str(workspace), program=program, config=str(tmp_path / "config"))
    loop = OrchestratorLoop(agent=agent, workdir=workspace, key="k", **options)
    result = asyncio.run(asyncio.wait_for(loop.run("continue", resume=True), 60))
    prompts = workspace / "prompts"
    return result, prompts.read_text().splitlines() if prompts.exists() else []


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_an_agent_that_writes_the_word_gets_the_task(tmp_path: Path) -> None:
    result, prompts = work(tmp_path, OBEY)
    assert result.status == "completed"
    assert ["Preflight" in prompt for prompt in prompts] == [True, False]


def test_an_agent_that_only_says_so_gets_none_until_it_can_work(tmp_path: Path) -> None:
    result, _ = work(tmp_path, "")
    assert (result.status, result.why) == ("paused", "paused")
    assert "claude-code cannot work here" in result.text
    result, prompts = work(tmp_path, OBEY)
    assert result.status == "completed"
    assert len(prompts) == 2


def test_a_person_may_do_without(tmp_path: Path) -> None:
    settings = Settings(orchestrator=OrchestratorSettings(preflight=False))
    result, prompts = work(tmp_path, OBEY, settings=settings)
    assert result.status == "completed"
    assert len(prompts) == 1
