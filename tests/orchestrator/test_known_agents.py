"""Agents by name: those of Outlast, and those of installed packages."""

import subprocess
import sys
from pathlib import Path

import pytest

from outlast.agent.work import AgentSetup
from outlast.errors import AgentUnavailable, InvalidArgument
from outlast.language import explain
from outlast.orchestrator.known_agents import find_agent

PLUGIN = """
print("loaded plugin")

class Robot:
    name = "robot"
    def __init__(self, setup): self.where = setup.workspace
    async def work(self, order, progress): ...
    async def settle(self, order, session): ...
    async def end_session(self, session): ...

def broken(setup): raise ValueError("no key")
def nothing(setup): return 1
"""
USER = """
from outlast.errors import OutlastError
from outlast.agent.work import AgentSetup
from outlast.language import explain
from outlast.orchestrator.known_agents import find_agent
setup = AgentSetup("/here")
for name in ("shell", "robt", "robot", "broken", "nothing", "gone"):
    try:
        agent = find_agent(name, setup)
        print(agent.name, getattr(agent, "where", ""))
    except OutlastError as error:
        print(error.code, explain(error, "en"))
"""


def test_r1_11_a_new_agent_is_one_entry_point_and_is_loaded_only_when_named(tmp_path: Path) -> None:
    about = tmp_path / "plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[outlast.agents]\nrobot = plugin:Robot\nbroken = plugin:broken\n"
        "nothing = plugin:nothing\ngone = nowhere:x\n"
    )
    (tmp_path / "plugin.py").write_text(PLUGIN)
    shown = subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, "-c", USER],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": f"{tmp_path}:{':'.join(sys.path)}"},
        text=True,
    )
    shell, unknown, loaded, robot, *bad = shown.stdout.splitlines()
    assert (shell, loaded, robot) == ("shell ", "loaded plugin", "robot /here")
    assert "did you mean robot?" in unknown
    assert bad == [
        "AGENT_UNAVAILABLE broken: the package of this agent cannot be used: ValueError: no key",
        (
            "AGENT_UNAVAILABLE nothing: what its package provides is no agent: it has no name, "
            "work, settle, end_session"
        ),
        (
            "AGENT_UNAVAILABLE gone: the package of this agent cannot be used: "
            "ModuleNotFoundError: No module named 'nowhere'"
        ),
    ]


def test_an_unknown_name_is_answered_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument) as refused:
        find_agent("zzz", AgentSetup(str(tmp_path)))
    assert "claude-code, codex, human, mailbox, shell, tools" in explain(refused.value, "en")


@pytest.mark.parametrize(("name", "program"), [("claude-code", "claude"), ("codex", "codex")])
def test_r1_11_an_agent_is_there_once_its_program_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, program: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AgentUnavailable, match=f"{program} is not installed"):
        find_agent(name, AgentSetup(str(tmp_path)))
    (tmp_path / program).write_text("#!/bin/sh\n")
    (tmp_path / program).chmod(0o755)
    assert find_agent(name, AgentSetup(str(tmp_path))).name == name
