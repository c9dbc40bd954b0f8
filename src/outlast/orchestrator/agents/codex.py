"""The agent `codex`: Codex without a terminal, one session for each task.

Codex chooses the ids of its sessions: an order whose session was not recorded cannot be settled.
The lines that it prints have neither the commands that its sandbox refused nor the tokens of a turn
that was stopped: what it records of a session has.
"""

from __future__ import annotations

import os
import re
from glob import escape, glob
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, json
from msgspec.structs import replace

from outlast.agent.work import Permissions, WorkOrder, WorkProgress, WorkResult, is_session_id
from outlast.model.budget import Spend
from outlast.orchestrator.agents.process import (
    SESSION_UNKNOWN,
    Program,
    ProgramAgent,
    decode_json,
    find_program,
    read_report,
    run_lines,
    sum_counts,
    text_of,
)
from outlast.orchestrator.agents.report_answer import REPORT_SCHEMA
from outlast.system.disk import Disk, describe_error, read_from, write_atomically
from outlast.system.environment import child_environment
from outlast.system.threads import call_in_pool
from outlast.system.workspace_root import default_workspace_root, find_git_root

if TYPE_CHECKING:
    from collections.abc import Collection

    from outlast.language import Language

Json = dict[str, Any]
# What each level of permissions is called there. Without a terminal it never asks.
_SANDBOXES: Final[dict[Permissions, str]] = {
    "read": "read-only",
    "edit": "workspace-write",
    "full": "danger-full-access",
}
_KEYS: Final = ("CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME")
_UNKNOWN: Final = "no rollout found for thread id"
_COUNTS: Final = ("input_tokens", "output_tokens")  # the others are parts of these
_LONGEST_COMMAND: Final = 200
_LARGEST: Final = 64 << 20  # bytes of one turn that are read
_FAILED: Final = re.compile(r"exited with code [1-9]")
_REFUSED: Final = re.compile("Read-only file system|Operation not permitted|Permission denied")


class CodexHome(Struct, frozen=True):
    """A directory for the settings and the sessions of Codex, apart from the user's.

    With a `base_url` it talks to that server, with the key in the variable `key_variable`.
    """

    directory: str
    base_url: str = ""
    key_variable: str = "OPENAI_API_KEY"

    def write(self) -> None:
        """Write the settings again: Codex adds lines of its own to them."""
        os.makedirs(self.directory, mode=0o700, exist_ok=True)  # noqa: PTH103 - a text
        path = os.path.join(self.directory, "config.toml")  # noqa: PTH118 - a text
        write_atomically(Disk(), path, self._settings().encode())

    def _settings(self) -> str:
        lines = ['approval_policy = "never"', "check_for_update_on_startup = false"]
        if self.base_url:
            lines.append('model_provider = "own"')
        lines += ["[analytics]", "enabled = false", "[features]", "plugins = false"]
        if self.base_url:
            lines += [
                "[model_providers.own]",
                'name = "own"',
                f"base_url = {_quote(self.base_url)}",
                f"env_key = {_quote(self.key_variable)}",
                'wire_api = "responses"',
            ]
        return "\n".join((*lines, ""))


class CodexAgent(ProgramAgent):
    """Drives the command `codex` in a directory.

    With `home` it uses settings and sessions of its own instead of the user's.
    """

    name = "codex"
    _guide = "AGENTS.md"

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        workspace: str,
        *,
        program: str = "codex",
        model: str = "",
        home: CodexHome | None = None,
        pass_env: Collection[str] = (),
        language: Language = "en",
    ) -> None:
        """Take the directory to work in; the program is looked for on the first use."""
        super().__init__(workspace, program, model, pass_env, language)
        self._home = home

    async def end_session(self, session: str) -> None:
        """Do nothing: a session that nobody resumes has ended."""
        del session

    async def _run(
        self, prompt: str, session: str, order: WorkOrder, progress: WorkProgress
    ) -> WorkResult:
        permissions = order.permissions
        try:
            record = await call_in_pool(lambda: self._prepare(session))
            with NamedTemporaryFile(prefix="outlast-", suffix=".json") as schema:
                schema.write(json.encode(REPORT_SCHEMA))
                schema.flush()
                arguments = self._arguments(session, permissions, schema.name)
                program = Program(
                    arguments, self._workspace, self._environment(), order.timeout, prompt
                )
                result = await run_lines(program, _Reader(), progress, self._language)
        except OSError as error:  # no room for the settings or the schema
            return WorkResult(session=session, error=describe_error(error))
        recorded = await call_in_pool(lambda: record.read(result.session))
        denied = result.denied if permissions == "full" else (*result.denied, *recorded.denied)
        spent = Spend(tokens=recorded.tokens or result.spent.tokens)
        return replace(result, session=result.session or session, denied=denied, spent=spent)

    def _prepare(self, session: str) -> _SessionRecord:
        """Write the settings, if they are our own; find the record of a session."""
        if self._home is not None:
            self._home.write()
        return _SessionRecord(self._sessions(), session)

    def _arguments(self, session: str, permissions: Permissions, schema: str) -> tuple[str, ...]:
        return (
            find_program(self._program),
            "exec",
            "--json",
            "--skip-git-repo-check",
            "--output-schema",
            schema,
            "--sandbox",
            _SANDBOXES[permissions],
            *(() if permissions == "full" else _without_trust(self._workspace)),
            *(("--model", self._model) if self._model else ()),
            *(("resume", "--", session, "-") if session else ("-",)),
        )

    def _sessions(self) -> str:
        home = self._home.directory if self._home else os.environ.get("CODEX_HOME", "")
        return os.path.join(home or os.path.expanduser("~/.codex"), "sessions")  # noqa: PTH111, PTH118 - texts

    def _environment(self) -> dict[str, str]:
        if self._home is None:
            return child_environment((*_KEYS, *self._pass_env))
        keys = (*_KEYS, self._home.key_variable, *self._pass_env)
        return {**child_environment(keys), "CODEX_HOME": self._home.directory}


class _Reader:
    """Reads `codex exec --json`."""

    is_hopeless = False  # it gives up by itself

    def __init__(self) -> None:
        self.session = self._last = self._problem = ""
        self._usage: object = None
        self._is_complete = False
        self._denied: list[str] = []

    def read(self, line: Json) -> str:
        """Take a line; return the words of the agent and the commands that it runs."""
        match line.get("type"):
            case "thread.started":
                session = text_of(line.get("thread_id"))
                self.session = session if is_session_id(session) else ""
            case "turn.completed":
                self._usage, self._is_complete = line.get("usage"), True
            case "turn.failed":
                error = line.get("error")
                self._problem = text_of(error.get("message")) if isinstance(error, dict) else ""
            case "error":
                self._problem = text_of(line.get("message"))
            case "item.started" | "item.completed" as event if isinstance(line.get("item"), dict):
                return self._read_item(event, line["item"])
        return ""

    def _read_item(self, event: str, item: Json) -> str:
        kind = item.get("type")
        if kind == "agent_message" and event == "item.completed":
            self._last = text_of(item.get("text"))
            is_report = read_report(decode_json(self._last), "") is not None
            return "" if is_report or not self._last else f"{self._last}\n"
        command = text_of(item.get("command"))[:_LONGEST_COMMAND]
        if kind == "command_execution" and event == "item.started":
            return f"▸ {command}\n"
        if kind == "command_execution" and item.get("status") == "declined":
            self._denied.append(command)
        return ""

    def result(self, tail: str) -> WorkResult:
        """Return the report, or why there is none."""
        report = read_report(decode_json(self._last), self.session) if self._is_complete else None
        is_unknown = not self.session and _UNKNOWN in tail
        return WorkResult(
            report,
            self.session,
            Spend(tokens=sum_counts(self._usage, _COUNTS)),
            tuple(self._denied),
            error=self._problem or self._last,
            code=SESSION_UNKNOWN if is_unknown else "",
        )


def _without_trust(workspace: str) -> tuple[str, ...]:
    """Return the option that keeps Codex from running what the settings of a project name.

    Without a terminal it trusts the project otherwise: the directory, or its repository.
    """
    real = os.path.realpath(workspace)
    places = {workspace, real, find_git_root(real) or real, default_workspace_root(real)}
    entries = (f'{_quote(place)} = {{trust_level = "untrusted"}}' for place in sorted(places))
    return "--config", f"projects = {{{', '.join(entries)}}}"


def _quote(value: str) -> str:
    """Return a text as TOML writes it, which is as JSON does."""
    return json.encode(value).decode()


class _Recorded(Struct, frozen=True):
    """The refused commands of a turn, and its tokens."""

    denied: tuple[str, ...] = ()
    tokens: int = 0


class _SessionRecord:
    """The record of a session in the directory `sessions` of Codex, from now on."""

    def __init__(self, sessions: str, session: str) -> None:
        """Remember where the record ends before the turn; a new session has none."""
        self._sessions, self._start = sessions, 0
        path = self._find(session)
        if path:
            self._start = os.stat(path, follow_symlinks=False).st_size  # noqa: PTH116 - a text

    def read(self, session: str) -> _Recorded:
        """Return what was recorded about a session since; nothing if there is no record."""
        path = self._find(session)
        if not path:
            return _Recorded()
        disk = Disk()
        try:
            file = disk.open(path, os.O_RDONLY, 0)
            try:
                data = read_from(disk, file, self._start, _LARGEST)
            finally:
                disk.close(file)
        except OSError:
            return _Recorded()
        return _read_lines(data.split(b"\n"))

    def _find(self, session: str) -> str:
        if not is_session_id(session):
            return ""
        name = f"rollout-*-{escape(session)}.jsonl"
        found = glob(os.path.join(escape(self._sessions), "*", "*", "*", name))  # noqa: PTH118, PTH207 - a text
        return found[0] if found else ""


def _read_lines(lines: list[bytes]) -> _Recorded:
    commands, denied, tokens = dict[str, str](), list[str](), 0
    for line in lines:
        kind, payload = _entry(line)
        call = text_of(payload.get("call_id"))
        if kind == "token_usage_record":
            tokens += sum_counts(payload.get("usage"), _COUNTS)
        elif payload.get("type") == "function_call":
            commands[call] = _command(text_of(payload.get("arguments")))
        elif payload.get("type") == "function_call_output" and call in commands:
            output = text_of(payload.get("output"))
            if _FAILED.search(output) and _REFUSED.search(output):
                denied.append(commands[call])
    return _Recorded(tuple(denied), tokens)


def _entry(line: bytes) -> tuple[str, Json]:
    entry = _decode_object(line)
    payload = entry.get("payload")
    return text_of(entry.get("type")), payload if isinstance(payload, dict) else {}


def _command(arguments: str) -> str:
    given = _decode_object(arguments.encode(errors="replace"))
    return (text_of(given.get("cmd")) or arguments)[:_LONGEST_COMMAND]


def _decode_object(line: bytes) -> Json:
    value = decode_json(line)
    return value if isinstance(value, dict) else {}
