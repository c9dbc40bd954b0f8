"""X8: what `doctor` finds out about the settings of agents, and the servers that these name."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outlast.hosts.settings.files import SettingsFiles
from outlast.hosts.settings.health import inspect_hosts
from outlast.hosts.settings.setup import Installation, Places, SetupOptions, prepare_host
from outlast.system.disk import Disk
from outlast.system.state_home import StateHome

if TYPE_CHECKING:
    from outlast.hosts.settings.health import HostHealth, ServerHealth

ANSWER = '{"jsonrpc": "2.0", "id": 2, "result": {"tools": []}}'
PATIENCE = 10.0  # seconds: a guard against hanging, not a promise


class Machine:
    """A user with Claude Code, whose MCP server is a script of ours."""

    def __init__(self, root: Path) -> None:
        self.places = Places({"HOME": str(root)}, str(root / "project"))
        script = root / "outlast" / "hosts" / "hook" / "hook.sh"
        self.own = Installation(str(script), str(root / "python"), "1")
        Path(self.places.project).mkdir()
        script.parent.mkdir(parents=True)
        Path(self.own.script).touch()
        Path(self.own.python).touch(0o755)
        self.set_up(self.own)

    def set_up(self, own: Installation) -> None:
        options = SetupOptions(self.places, own, mcp=True)
        state = StateHome(f"{self.places.environment['HOME']}/state", Disk())
        files = SettingsFiles(Disk(), state)
        files.apply(prepare_host("claude-code", "user", options).changes)

    def inspect(self) -> HostHealth:
        found = {health.host: health for health in inspect_hosts(self.places, self.own)}
        return found["claude-code"]

    def server(self, *lines: str) -> ServerHealth:
        Path(self.own.python).write_text("\n".join(["#!/bin/sh", *lines, ""]))
        (server,) = self.inspect().servers
        return server


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def is_alive(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return status not in "ZX"


def test_x8_a_server_that_lists_its_tools_works(machine: Machine) -> None:
    server = machine.server("read a; read b; read c", f"echo '{ANSWER}'", "read d")
    assert server.is_this
    assert server.problem is None
    assert server.seconds > 0


def test_x8_a_server_without_tools_is_told_with_the_last_line_of_its_errors(
    machine: Machine,
) -> None:
    said = machine.server("echo begins >&2", "pwd >&2", "echo '{}'")
    assert said.problem == machine.places.project
    assert machine.server("exit 1").problem == ""
    for wrong in (ANSWER.replace("2,", "1,"), ANSWER.replace("result", "error"), "[2]", "{"):
        assert machine.server("read a; read b; read c", f"echo '{wrong}'").problem == ""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_x8_nothing_of_a_server_that_was_asked_is_left(machine: Machine, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    begun = f"sleep 60 >/dev/null 2>&1 & echo $! >{pid}"
    server = machine.server(begun, "read a; read b; read c", f"echo '{ANSWER}'", "exec cat >&2")
    assert server.problem is None
    child = int(pid.read_text())
    until = time.monotonic() + PATIENCE
    while is_alive(child) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_alive(child)


def test_x8_a_server_that_cannot_be_started_is_told_with_the_reason(machine: Machine) -> None:
    Path(machine.own.python).unlink()
    (server,) = machine.inspect().servers
    assert server.problem == os.strerror(2)


def test_x8_a_server_of_another_installation_is_not_started(
    machine: Machine, tmp_path: Path
) -> None:
    machine.own = Installation(machine.own.script, str(tmp_path / "other"), "1")
    Path(machine.own.python).touch(0o755)
    (server,) = machine.inspect().servers
    assert (server.is_this, server.python) == (False, str(tmp_path / "python"))


def test_x8_hooks_are_current_outdated_or_gone(machine: Machine, tmp_path: Path) -> None:
    (setup,) = machine.inspect().setups
    assert (setup.state, setup.missing, setup.problem) == ("current", "", None)
    script = machine.own.script
    machine.own = Installation(f"/new{script}", machine.own.python, "2")
    assert [each.state for each in machine.inspect().setups] == ["outdated"]
    Path(script).unlink()
    (setup,) = machine.inspect().setups
    assert (setup.state, setup.missing) == ("gone", script)
    (tmp_path / ".claude" / "settings.json").write_text("{]")
    (setup,) = machine.inspect().setups
    assert setup.problem is not None
    assert setup.problem.details["where"] == str(tmp_path / ".claude" / "settings.json")
