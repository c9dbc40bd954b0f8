"""The clients of coding agents, run as their users run them, once and without a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from msgspec import json

from tests.agents.gemini_server import serve_gemini
from tests.agents.scene import find
from tests.cli.processes import PERSON_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.testing.model_http.request import ModelRequest
    from tests.agents.scene import Scene

GEMINI: Final = "gemini-cli"
CLIENTS: Final = ("claude-code", "codex", GEMINI)
_GEMINI_VARIABLE: Final = "OUTLAST_GEMINI"  # the path of an installed Gemini CLI
_GEMINI_SETTINGS: Final = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
}
_SHARED: Final = ("PATH", "HOME", "CODEX_HOME", "NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY")
_QUIET: Final = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "MCP_CONNECTION_NONBLOCKING": "0",
}
_PATIENCE: Final = 120.0


class ClientRun(NamedTuple):
    """One run of a client: its status, what it printed, and what it asked its model."""

    returncode: int
    stdout: str
    stderr: str
    requests: list[ModelRequest]


def require_client(name: str) -> str:
    """Return the program of a client; skip the test if it is a Gemini CLI that is not there."""
    if name != GEMINI:
        return find({"claude-code": "claude"}.get(name, name))
    program = os.environ.get(_GEMINI_VARIABLE, "")
    if not program:
        pytest.skip(f"{_GEMINI_VARIABLE} does not name an installed Gemini CLI")
    assert Path(program).is_file(), f"{_GEMINI_VARIABLE}: there is no file {program}"
    return program


def run_client(
    scene: Scene,
    name: str,
    prompt: str,
    *options: str,
    hooks: Mapping[str, str] | None = None,
    **variables: str,
) -> ClientRun:
    """Run a client in the scene's directory, with the options that follow its own.

    `hooks` are the commands of its user's hooks, by event.
    """
    program = require_client(name)
    already = len(scene.server.requests)
    environment = user_environment(scene)
    write_settings(scene, name, hooks)
    requests: list[ModelRequest] = []
    with ExitStack() as stack:
        if name == GEMINI:
            url = stack.enter_context(serve_gemini(scene.server.model, requests))
            environment |= {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "test"}
            environment["PATH"] += os.pathsep + str(Path(program).parent)
        done = subprocess.run(  # noqa: S603 - a client that the tests have installed
            [program, *_arguments(name, prompt, options)],
            capture_output=True,
            check=False,
            cwd=scene.workspace,
            encoding="utf-8",
            env={**environment, **_own_variables(name), **variables},
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
        )
    asked = requests if name == GEMINI else scene.server.requests[already:]
    return ClientRun(done.returncode, done.stdout, done.stderr, asked)


def settings_path(scene: Scene, name: str) -> Path:
    """Return the file in which the user of a client has hooks."""
    if name == GEMINI:
        return scene.home / ".gemini" / "settings.json"
    if name == "codex":
        return scene.home / "codex" / "hooks.json"
    return scene.home / "claude" / "settings.json"


def write_settings(scene: Scene, name: str, hooks: Mapping[str, str] | None = None) -> None:
    """Write the settings that a client needs here, and the hooks of its user, if it has none."""
    path = settings_path(scene, name)
    settings: dict[str, Any] = dict(_GEMINI_SETTINGS) if name == GEMINI else {}
    for event, line in (hooks or {}).items():
        entry = {"hooks": [{"type": "command", "command": line}]}
        settings.setdefault("hooks", {})[event] = [entry]
    if settings and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(json.encode(settings))


def user_environment(scene: Scene) -> dict[str, str]:
    """Return the variables of the scene's user, in whose terminals no agent runs."""
    shared = {variable: os.environ[variable] for variable in _SHARED}
    own = {"CLAUDE_CONFIG_DIR": str(scene.home / "claude"), "OUTLAST_NAME": PERSON_NAME}
    return {**shared, **scene.server.environment, **own, "LANG": "C.UTF-8"}


def _own_variables(name: str) -> dict[str, str]:
    if name != "claude-code":
        return {}
    return {**_QUIET, "IS_SANDBOX": "1"} if os.getuid() == 0 else dict(_QUIET)


def _arguments(name: str, prompt: str, options: tuple[str, ...]) -> tuple[str, ...]:
    match name:
        case "claude-code":
            allowed = () if "--permission-mode" in options else ("bypassPermissions",)
            mode = ("--permission-mode", *allowed) if allowed else ()
            return ("-p", prompt, "--output-format", "json", *mode, *options)
        case "codex":
            own = ("--json", "--skip-git-repo-check", "--sandbox", "danger-full-access")
            return ("--dangerously-bypass-hook-trust", "exec", *own, *options, prompt)
        case _:
            own = ("--yolo", "--skip-trust", "--output-format", "json")
            return ("-m", "gemini-2.5-pro", "-p", prompt, *own, *options)


def command(*arguments: str) -> str:
    """Return the command line that runs Outlast, whatever the path of the client's shell is."""
    return " ".join((sys.executable, "-m", "outlast", *arguments))
