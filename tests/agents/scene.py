"""Real coding agents in a scene of their own: private settings, and a model server on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import pytest

from outlast.agent.work import WorkOrder
from outlast.orchestrator.agents.claude_code import ClaudeCodeAgent
from outlast.orchestrator.agents.codex import CodexAgent, CodexHome
from outlast.testing import ModelServer
from tests.cli.agent_scripts import isolated_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.agent.work import Agent
    from outlast.context.chat_model import Model
    from outlast.testing import Fault

NAMES: Final = ("claude-code", "codex")
_MOMENT: Final = 0.02
_PATIENCE: Final = 3_000
_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@dataclass(frozen=True)
class Scene:
    """A directory to work in, the server that agents ask, and the addresses they tried besides."""

    workspace: Path
    home: Path
    server: ModelServer
    elsewhere: list[str]

    def agent(self, name: str) -> Agent:
        """Return a real agent that works in the directory."""
        place = str(self.workspace)
        if name == "codex":
            home = CodexHome(str(self.home / "codex"), f"{self.server.url}/v1")
            return CodexAgent(place, program=find(name), home=home)
        return ClaudeCodeAgent(place, program=find("claude"), config=str(self.home / "claude"))

    def write(self, name: str, text: str) -> None:
        """Write a file into the directory."""
        (self.workspace / name).write_text(text, encoding="utf-8")

    def has_recorded(self, words: str) -> bool:
        """Return whether the record of a session has words; agents write it a moment later."""
        records = self.home.rglob("*.jsonl")
        return any(words in record.read_text("utf-8", "replace") for record in records)

    def processes(self, program: str = "") -> list[int]:
        """Return the processes of this scene, perhaps of one program only."""
        mine = f"HOME={self.home}\0".encode()
        return [
            number
            for number in _processes()
            if mine in read_proc(number, "environ")
            and command_line(number).split("\0")[0].endswith(program)
        ]

    def read(self, name: str) -> str:
        """Return the content of a file of the directory."""
        return (self.workspace / name).read_text(encoding="utf-8")


def command_line(process: int) -> str:
    """Return the words of a process, each ended by a NUL."""
    return read_proc(process, "cmdline").decode(errors="replace")


def read_proc(process: int, name: str) -> bytes:
    """Return what Linux tells of a process; nothing if it has ended."""
    try:
        return Path(f"/proc/{process}", name).read_bytes()
    except OSError:
        return b""


def find(program: str) -> str:
    """Return the path of an agent's program, which `./dev test` has installed."""
    place = Path(os.environ.get("OUTLAST_AGENTS_BIN", ""), program)
    assert place.is_file(), "no coding agents: `./dev test tests/agents` installs them"
    return str(place)


@contextmanager
def outlast(scene: Scene, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start the command `outlast` with both agents on its path; it is gone in the end."""
    variables = isolated_environment(scene.workspace)
    variables["PATH"] = f"{Path(find('claude')).parent}{os.pathsep}{variables['PATH']}"
    run = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", *arguments],
        cwd=scene.workspace,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    with run:
        try:
            yield run
        finally:
            run.kill()


def wait_until(holds: Callable[[], object], *runs: subprocess.Popen[str]) -> None:
    """Wait until something holds; fail if it never does, or if a process ends before."""
    for _ in range(_PATIENCE):
        if holds():
            return
        for run in runs:
            if run.poll() is not None:
                pytest.fail(f"ended with {run.returncode}: {run.communicate()[0]}")
        time.sleep(_MOMENT)
    pytest.fail("\n".join(["it never came", *map(_stop, runs)]))


def _stop(run: subprocess.Popen[str]) -> str:
    run.kill()
    return run.communicate()[0]


def require_sandbox(name: str) -> None:
    """Skip a test of Codex where the kernel or the container forbids its sandbox."""
    if name != "codex":
        return
    tried = subprocess.run(  # noqa: S603 - the program that is tested
        [find(name), "sandbox", "--", "true"], capture_output=True, check=False, timeout=60
    )
    if tried.returncode:
        pytest.skip(f"the sandbox of Codex cannot be used: {tried.stderr.decode().strip()}")


def order(*commands: str, **fields: Any) -> WorkOrder:
    """Return an order whose task is to run some commands."""
    written = "\n".join(f"$ {command}" for command in commands)
    fields = {"permissions": "full", "timeout": 120.0, **fields}
    return WorkOrder(f"task-{uuid4()}", 1, "a task", written, **fields)


def _processes() -> list[int]:
    numbers = (entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [int(number) for number in numbers if int(number) != os.getpid()]


@contextmanager
def open_scene(place: Path, model: Model, *faults: Fault) -> Iterator[Scene]:
    """Let a model answer real agents; they reach no other machine, and no settings of the user."""
    workspace, home = place / "work", place / "home"
    workspace.mkdir()
    home.mkdir()
    with ExitStack() as stack:
        server = stack.enter_context(ModelServer(model, faults))
        proxy, elsewhere = stack.enter_context(_listening())
        stack.callback(os.environ.update, dict(os.environ))
        stack.callback(os.environ.clear)
        os.environ.update(server.environment, HOME=str(home), NO_PROXY="127.0.0.1")
        os.environ.update((name, proxy) for name in _PROXIES)
        own = CodexHome(str(home / "codex"), f"{server.url}/v1")
        own.write()
        os.environ["CODEX_HOME"] = own.directory
        yield Scene(workspace, home, server, elsewhere)


@contextmanager
def _listening() -> Iterator[tuple[str, list[str]]]:
    """Open a proxy that notes who is asked for, and answers nothing."""
    asked = list[str]()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def note() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:  # closed
                    return
                with connection:
                    asked.append(connection.recv(200).decode(errors="replace").partition("\r")[0])

        Thread(target=note, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
        listener.shutdown(socket.SHUT_RDWR)
