"""Coding agents with our hooks installed, and a model whose turns a test writes down."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from msgspec import DecodeError, json

from outlast.context.chat_model import Call, Reply
from tests.agents.client import (
    GEMINI,
    ClientRun,
    require_client,
    run_client,
    user_environment,
    write_settings,
)
from tests.agents.coder import USAGE
from tests.agents.scene import Scene, open_scene
from tests.fake_model import FakeModel, ModelRequest

if TYPE_CHECKING:
    from outlast.testing.model_http.request import ModelRequest as HttpRequest

Turn = str | Call | Callable[[ModelRequest], Call]
SUMMARY: Final = "The user and the assistant greeted each other."  # a poor one, of everything
_ASKS_SUMMARY: Final = re.compile(r"CONTEXT CHECKPOINT COMPACTION|detailed summary|state_snapshot")
_NAMES: Final = {GEMINI: "gemini"}  # what `outlast init` calls them, if anything else
_APPROVER: Final = Path(__file__).with_name("approver.py")


class Script(FakeModel):
    """Takes its turns one after the other; each is a message, a call, or makes one of a request.

    A request for a summary gets one that has forgotten everything. After the last turn it says ok.
    """

    def __init__(self) -> None:
        super().__init__()
        self.turns: deque[Turn] = deque()

    async def reply(self, request: ModelRequest) -> Reply:
        last = [message.text for message in request.messages[-3:] if message.role == "user"]
        if any(_ASKS_SUMMARY.search(said) for said in last):
            return Reply(f"<summary>{SUMMARY}</summary>", (), USAGE)
        turn = self.turns.popleft() if self.turns else "ok"
        if callable(turn):
            turn = turn(request)
        return Reply(turn, (), USAGE) if isinstance(turn, str) else Reply("", (turn,), USAGE)


class HookedRun(NamedTuple):
    """A run of an agent: its session, its last output, and what its model was asked."""

    session: str
    output: str
    requests: list[HttpRequest]

    def request(self, number: int = -1) -> str:
        """Return all that one request has, as text; Gemini CLI escapes what hooks say."""
        return unescape(_text_of(self.requests[number].body))


class HookedHost:
    """A coding agent that a user has set up with `outlast init`."""

    def __init__(self, scene: Scene, name: str, script: Script) -> None:
        self.scene, self.name, self.script = scene, name, script

    def outlast(self, *arguments: str) -> str:
        """Run a command in a terminal of the user; return what it prints."""
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "outlast", *arguments],
            capture_output=True,
            check=False,
            cwd=self.scene.workspace,
            encoding="utf-8",
            env=user_environment(self.scene),
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def init(self, *options: str) -> str:
        """Set this agent up, as its user does."""
        return self.outlast("init", _NAMES.get(self.name, self.name), "--user", "--yes", *options)

    def shell(self, line: str) -> Call:
        """Return a call of the agent's shell."""
        if self.name == "codex":
            return Call("exec_command", {"cmd": line})
        tool = "Bash" if self.name == "claude-code" else "run_shell_command"
        return Call(tool, {"command": line, "description": "Run a command"})

    def slash(self, words: str) -> str:
        """Return our command as it is typed to this agent."""
        return f"{'$' if self.name == 'codex' else '/'}outlast {words}"

    def prompt(
        self,
        said: str,
        *turns: Turn,
        session: str = "",
        options: tuple[str, ...] = (),
        variables: Mapping[str, str] | None = None,
    ) -> HookedRun:
        """Say something to the agent, in a session or in a new one; its model takes the turns."""
        self.script.turns = deque(turns)
        if session:
            resume = "resume" if self.name == "codex" else "--resume"
            options = (*options, resume, session)
        more = dict(variables or {})
        done = run_client(self.scene, self.name, said, *options, hooks=None, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return HookedRun(_session_of(done), done.stdout + done.stderr, done.requests)

    def compact(self, session: str) -> None:
        """Have the conversation of a session replaced by a summary, at once or before the next."""
        if self.name == "claude-code":
            self.prompt("/compact", session=session)

    @property
    def compacting(self) -> tuple[str, ...]:
        """The options with which an agent that has no such command compacts a conversation."""
        return ("--config", "model_auto_compact_token_limit=900") if self.name == "codex" else ()


@contextmanager
def open_host(place: Path, name: str) -> Iterator[HookedHost]:
    """Install an agent's hooks in a home of its own; it reaches no other machine."""
    require_client(name)
    script = Script()
    with open_scene(place, script) as scene:
        write_settings(scene, name)
        host = HookedHost(scene, name, script)
        host.init()
        yield host
        if scene.elsewhere:
            pytest.fail(f"it talks to others than its model: {scene.elsewhere}")


def approver(*arguments: str) -> tuple[str, ...]:
    """Return the options that let Claude Code ask a user, who accepts unless told to refuse."""
    server = {"command": sys.executable, "args": [str(_APPROVER), *arguments]}
    servers = json.encode({"mcpServers": {"user": server}}).decode()
    return ("--mcp-config", servers, "--permission-prompt-tool", "mcp__user__approve")


def _session_of(done: ClientRun) -> str:
    """Return the session that an agent names in its output."""
    for line in (done.stdout, *done.stdout.splitlines()):
        try:
            fields = json.decode(line)
        except DecodeError:
            continue
        session = fields.get("session_id") or fields.get("thread_id")
        if session:
            return str(session)
    return ""


def _text_of(value: object) -> str:
    """Return all texts of a value, one below the other."""
    match value:
        case str():
            return value
        case dict():
            return "\n".join(map(_text_of, value.values()))
        case list():
            return "\n".join(map(_text_of, value))
    return ""
