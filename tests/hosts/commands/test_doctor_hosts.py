"""`doctor`: what is set up for coding agents, whether it works, and what they would be told."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import json_of, outlast, stdout_of
from tests.hosts.commands.scene import HOSTS, Scene, make_scene

VERSION = "9.8.7 (an agent)"
PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini": "gemini"}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = make_scene(tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in PROGRAMS.values():
        (programs / name).write_text(f"#!/bin/sh\necho '{VERSION}'\n")
        (programs / name).chmod(0o755)
    return scene


def diagnose(scene: Scene, code: int = 0, *, installed: bool = True, **more: str) -> dict[str, Any]:
    path = f"{scene.home.parent}/bin" if installed else "/nowhere"
    variables = {**scene.variables, "PATH": path, **more}
    return json_of(scene.project, "doctor", code=code, **variables)


def rows(answer: dict[str, Any], what: str) -> list[tuple[bool, str]]:
    return [(one["ok"], one["says"]) for one in answer["findings"] if one["what"] == what]


def trust_codex(scene: Scene) -> None:
    """Write what Codex writes when its user trusts all hooks."""
    file = scene.settings("codex", "--user")
    keys = (
        f"{file}:{event}:{group}:{hook}"
        for event in (
            *("session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "stop"),
            *("subagent_stop", "pre_compact", "session_end"),
        )
        for group in range(3)
        for hook in range(2)
    )
    with (scene.home / ".codex" / "config.toml").open("a") as config:
        config.writelines(f'\n[hooks.state."{key}"]\ntrusted_hash = "sha256:0"\n' for key in keys)


def test_agents_that_are_not_set_up_are_told_how(scene: Scene) -> None:
    answer = diagnose(scene)
    for host in HOSTS:
        says = f"{VERSION}, not set up; to set it up: outlast init {host}"
        assert rows(answer, host) == [(True, says)]
    assert "context" not in answer
    absent = diagnose(scene, installed=False)
    assert rows(absent, "agents") == [(True, "not installed: claude-code, codex, gemini")]


@pytest.mark.parametrize("host", HOSTS)
def test_an_agent_that_is_set_up_is_in_order(scene: Scene, host: str) -> None:
    scene.init(host)
    file = scene.settings(host, "--user")
    if host == "codex":
        untrusted = f"{file}: Codex skips 9 Outlast hooks until you trust them"
        [_, (ok, says)] = rows(diagnose(scene, code=4), host)
        assert (ok, says.startswith(untrusted)) == (False, True)
        trust_codex(scene)
    assert rows(diagnose(scene), host) == [(True, f"{VERSION}, set up in {file}")]
    gone = rows(diagnose(scene, installed=False), host)
    assert gone == [(True, f"set up in {file}, but the program {PROGRAMS[host]} was not found")]


@pytest.mark.parametrize("scope", ["--user", "--project"])
@pytest.mark.parametrize("host", HOSTS)
def test_hooks_of_another_installation_are_found(scene: Scene, host: str, scope: str) -> None:
    scene.init(host, scope)
    file = scene.settings(host, scope)
    options = " --project" if scope == "--project" else ""
    new = file.read_text()
    file.write_text(new.replace("/outlast/hosts", "/gone/outlast/hosts"))
    ok, says = rows(diagnose(scene, code=4), host)[0]
    assert (ok, "gone/outlast/hosts/hook/hook.sh, which no longer exists" in says) == (False, True)
    assert says.endswith(f"outlast init {host}{options}")
    timeouts = {"gemini": ("10000", "9000")}.get(host, (": 10\n", ": 9\n"))
    file.write_text(new.replace(*timeouts))
    ok, says = rows(diagnose(scene, code=4), host)[0]
    assert not ok
    assert says.startswith(f"{file}: the hooks were written by another version or installation of")


def test_settings_that_cannot_be_read_are_named(scene: Scene) -> None:
    scene.settings("gemini", "--user").write_text("{")
    [(ok, says)] = rows(diagnose(scene, code=4), "gemini")
    assert (ok, "settings.json" in says, "line 1: not valid JSON" in says) == (False, True, True)


def test_the_server_is_started_asked_and_timed(scene: Scene) -> None:
    pytest.importorskip("mcp")
    scene.init("claude-code", "--mcp")
    _, (ok, says) = rows(diagnose(scene), "claude-code")
    assert (ok, says.startswith("the MCP server answers in ")) == (True, True)


def test_a10_a_server_that_is_not_of_this_python_is_not_started(
    scene: Scene, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    server = {"command": str(trap), "args": ["-P", "-m", "outlast", "mcp"]}
    settings = scene.settings("gemini", "--project")
    settings.parent.mkdir()
    settings.write_text(json.dumps({"mcpServers": {"outlast": server}}))
    [_, (ok, says)] = rows(diagnose(scene), "gemini")
    assert (ok, str(trap) in says) == (True, True)
    assert not (tmp_path / "sprung").exists()


def test_a10_a_package_of_the_project_is_not_run_as_the_server(scene: Scene) -> None:
    pytest.importorskip("mcp")
    scene.init("claude-code", "--mcp")
    package = scene.project / "outlast"
    package.mkdir()
    (package / "__init__.py").write_text("open('sprung', 'w')\n")
    variables = {**scene.variables, "PATH": f"{scene.home.parent}/bin"}
    diagnosis = json_of(package, "doctor", code=0, **variables)
    _, (ok, says) = rows(diagnosis, "claude-code")
    assert (ok, says.startswith("the MCP server answers in ")) == (True, True)
    assert not (scene.project / "sprung").exists()


def test_a_server_that_does_not_start_says_why(scene: Scene, tmp_path: Path) -> None:
    scene.init("gemini", "--mcp")
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if sys.orig_argv[-1] == 'mcp':\n"
        "    os.write(2, b'first\\nno such package\\n')\n"
        "    os._exit(1)\n"
    )
    [_, (ok, says)] = rows(diagnose(scene, code=4, PYTHONPATH=str(tmp_path)), "gemini")
    assert not ok
    assert says.startswith("the MCP server does not answer within 60 s: no such package (")


def test_r4_08_a_server_answers_without_the_extra(scene: Scene, tmp_path: Path) -> None:
    scene.init("gemini", "--mcp")
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class WithoutSdk:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('mcp', 'mcp_types'):\n"
        "            raise ModuleNotFoundError(f'No module named {name}', name=name)\n"
        "sys.meta_path.insert(0, WithoutSdk())\n"
    )
    found = rows(diagnose(scene, PYTHONPATH=str(tmp_path)), "gemini")
    assert any(ok and "the MCP server answers" in says for ok, says in found)


def test_a_server_that_ends_without_a_word_is_reported(scene: Scene, tmp_path: Path) -> None:
    scene.init("gemini", "--mcp")
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif sys.orig_argv[-1] == 'mcp':\n    os._exit(1)\n"
    )
    [_, (ok, says)] = rows(diagnose(scene, code=4, PYTHONPATH=str(tmp_path)), "gemini")
    assert (ok, "it printed nothing" in says) == (False, True)


def test_what_a_session_would_be_told_is_shown_with_its_tokens(scene: Scene) -> None:
    scene.init("claude-code")
    nothing = diagnose(scene)
    assert rows(nothing, "context") == [
        (True, "a session is told nothing here: there is no unfinished plan")
    ]
    assert nothing["context"] == {"text": "", "tokens": 0}
    stdout_of(scene.project, "new", "Add OAuth", **scene.variables)
    stdout_of(scene.project, "add", "Read the RFC", **scene.variables)
    answer = diagnose(scene)
    assert "Read the RFC" in answer["context"]["text"]
    tokens = answer["context"]["tokens"]
    assert 50 < tokens < 1000
    assert rows(answer, "context")[0][1].endswith(f"is told this, about {tokens} tokens:")
    path = {"PATH": f"{scene.home.parent}/bin"}
    shown = stdout_of(scene.project, "doctor", **scene.variables, **path)
    assert "\n    " in shown
    assert "Read the RFC" in shown
    silent = diagnose(scene, OUTLAST_OFF="1")
    assert rows(silent, "context") == [(True, "OUTLAST_OFF is set: every hook is silent")]


def test_an_attached_session_is_shown_what_it_is_told_itself(scene: Scene) -> None:
    session = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "c1"}
    scene.init("claude-code")
    stdout_of(scene.project, "new", "Add OAuth", **scene.variables)
    stdout_of(scene.project, "attach", **scene.variables, **session)
    stdout_of(scene.project, "new", "Write the docs", **scene.variables)
    for variables, key, says in (
        (session, "add-oauth", "this session is told this when it starts again, about "),
        ({}, "write-the-docs", "a session that starts on the current plan is told this, about "),
    ):
        answer = diagnose(scene, code=0, installed=True, **variables)
        assert f"the plan {key} with" in answer["context"]["text"]
        assert rows(answer, "context")[0][1].startswith(says)


def test_another_directory_is_diagnosed_without_the_agents(scene: Scene) -> None:
    scene.init("claude-code")
    stdout_of(scene.project, "new", "Add OAuth", **scene.variables)
    done = outlast(scene.home, "doctor", str(scene.project), **scene.variables)
    assert (done.returncode, "claude-code" in done.stdout) == (0, False)
    assert sys.executable in done.stdout
