"""`init` for the real agents: they accept what it writes, and `--remove` leaves no trace."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.coder import Coder
from tests.agents.scene import Scene, find, open_scene, outlast

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.xdist_group("agents")]
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "IS_SANDBOX": "1",
}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with open_scene(tmp_path, Coder()) as opened:
        yield opened
    assert opened.elsewhere == []


def init(scene: Scene, *arguments: str) -> str:
    with outlast(scene, "init", *arguments, "--yes") as run:
        printed, _ = run.communicate(timeout=60)
    assert run.returncode == 0, printed
    return printed


def client(scene: Scene, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the agent that is tested
        [find(program), *arguments],
        capture_output=True,
        check=False,
        cwd=scene.workspace,
        encoding="utf-8",
        env={**os.environ, **QUIET},
        stdin=subprocess.DEVNULL,
        timeout=120,
    )


def files_of(scene: Scene) -> dict[Path, bytes]:
    places = (scene.home, scene.workspace)
    return {path: path.read_bytes() for at in places for path in at.rglob("*") if path.is_file()}


def without_empty(value: Any) -> Any:
    """Return a JSON value without empty objects, which a client may write and `init` removes."""
    if not isinstance(value, dict):
        return value
    return {key: kept for key in value if (kept := without_empty(value[key])) != {}}


@pytest.mark.parametrize("options", [(), ("--mcp",)])
def test_claude_code_validates_and_uses_the_plugin(scene: Scene, options: tuple[str, ...]) -> None:
    init(scene, "claude-code", "--plugin", "plugin", *options)
    checked = client(scene, "claude", "plugin", "validate", "plugin")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "Validation passed" in checked.stdout
    for prompt in ("/outlast:outlast status", "/outlast status"):
        options = ("--plugin-dir", "plugin", "-p", prompt, "--output-format", "json")
        asked = client(scene, "claude", *options)
        assert json.loads(asked.stdout)["num_turns"] == 0, "the hook has answered, no model"


@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_claude_code_reads_its_settings_and_they_come_back(scene: Scene, scope: str) -> None:
    place = scene.home / ".claude" if scope == "--user" else scene.workspace / ".claude"
    place.mkdir()
    name = "settings.json" if scope == "--user" else "settings.local.json"
    before = '{\n\t"includeCoAuthoredBy":false }'
    (place / name).write_text(before)
    files = files_of(scene)
    init(scene, "claude-code", scope, "--mcp")
    asked = client(scene, "claude", "-p", "/outlast status", "--output-format", "json")
    assert asked.returncode == 0, asked.stdout + asked.stderr
    answer = json.loads(asked.stdout)
    assert answer["num_turns"] == 0, "the hook has answered, no model"
    assert "/outlast" in answer["result"]
    own = json.loads((scene.home / ".claude.json").read_text())
    servers = own if scope == "--user" else own["projects"][str(scene.workspace)]
    del servers["mcpServers"]["outlast"]
    init(scene, "claude-code", scope, "--remove")
    left = files_of(scene)
    assert {path: left.get(path) for path in files} == files
    assert not (place / "commands").exists()
    assert without_empty(json.loads((scene.home / ".claude.json").read_text())) == (
        without_empty(own)
    ), "what Claude Code has written stays"


@pytest.mark.parametrize("writes", [False, True])
def test_codex_reads_its_settings_and_they_come_back(
    scene: Scene,
    writes: bool,  # noqa: FBT001 - a case
) -> None:
    home = Path(os.environ["CODEX_HOME"])
    config = (home / "config.toml").read_text()
    files = files_of(scene)
    init(scene, "codex", "--mcp")
    with outlast(scene, "doctor") as run:
        printed, _ = run.communicate(timeout=60)
    assert "Codex skips 9 Outlast hooks until you trust them" in printed
    options = ("--skip-git-repo-check", "--dangerously-bypass-hook-trust")
    asked = client(scene, "codex", "exec", *options, "$outlast Say hello")
    assert asked.returncode == 0, asked.stdout + asked.stderr
    said = repr(scene.server.requests)
    assert "Outlast keeps a durable plan" in said, "the skill that was typed"
    servers = client(scene, "codex", "mcp", "list")
    assert "outlast" in servers.stdout
    added = client(scene, "codex", "mcp", "add", "mine", "--", "true") if writes else None
    assert added is None or added.returncode == 0, added.stderr
    assert "nothing was changed" in init(scene, "codex", "--mcp")
    init(scene, "codex", "--remove")
    assert not (home / "hooks.json").exists()
    assert not (home / "skills" / "outlast").exists()
    mine = '\n[mcp_servers.mine]\ncommand = "true"\n' if writes else ""
    expected = {**files, home / "config.toml": f"{config}{mine}".encode()}
    left = files_of(scene)
    assert {path: left.get(path) for path in files} == expected
