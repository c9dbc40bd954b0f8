"""The agent `codex`: Codex without a terminal, one session for each task.

Codex chooses the ids of its sessions: an order whose session was not recorded cannot be settled.
"""

from __future__ import annotations

import os
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, Struct, json
from msgspec.structs import replace

from outlast.agent.work import WorkProgress, WorkResult, is_session_id
from outlast.language import text
from outlast.model.budget import Spend
from outlast.orchestrator.agents.answers import read_report, sum_counts, text_of
from outlast.orchestrator.agents.codex_record import COUNTS, LONGEST_COMMAND, SessionRecord
from outlast.orchestrator.agents.mailbox.report_answer import REPORT_SCHEMA
from outlast.orchestrator.agents.process import (
    SESSION_UNKNOWN,
    Program,
    find_program,
    run_lines,
    with_guide,
)
from outlast.system.disk import Disk, describe_error
from outlast.system.environment import child_environment
from outlast.system.files import write_atomically
from outlast.system.threads import call_in_pool
from outlast.system.workspace_root import default_workspace_root, find_git_root

if TYPE_CHECKING:
    from collections.abc import Collection

    from outlast.agent.work import Permissions, WorkOrder
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
_SETTLE_SECONDS: Final = 300.0


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


class CodexAgent:
    """Drives the command `codex` in a directory.

    With `home` it uses settings and sessions of its own instead of the user's.
    """

    name = "codex"
    needs_preflight = True

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
        self._workspace, self._program, self._model = workspace, program, model
        self._home, self._pass_env, self._language = home, pass_env, language

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        """Let Codex carry out an order, in its session or in a new one."""
        prompt = await with_guide(order, self._workspace, "AGENTS.md", self._language)
        session = order.session if is_session_id(order.session) else ""
        result = await self._run(prompt, session, order.permissions, order.timeout, progress)
        if result.code != SESSION_UNKNOWN:
            return result
        progress.say(text("session_unknown", self._language, agent=self.name, session=session))
        return await self._run(prompt, "", order.permissions, order.timeout, progress)

    async def settle(self, order: str, session: str) -> WorkResult | None:
        """Ask the session what it had done; None if there is no such session."""
        del order
        if not is_session_id(session):  # the plan may be a stranger's: it must not become an option
            return None
        asked = text("agent_settle_prompt", self._language)
        result = await self._run(asked, session, "read", _SETTLE_SECONDS, WorkProgress())
        return None if result.report is None else result

    async def end_session(self, session: str) -> None:
        """Do nothing: a session that nobody resumes has ended."""
        del session

    async def _run(
        self,
        prompt: str,
        session: str,
        permissions: Permissions,
        seconds: float,
        progress: WorkProgress,
    ) -> WorkResult:
        try:
            record = await call_in_pool(lambda: self._prepare(session))
            with NamedTemporaryFile(prefix="outlast-", suffix=".json") as schema:
                schema.write(json.encode(REPORT_SCHEMA))
                schema.flush()
                arguments = self._arguments(session, permissions, schema.name)
                program = Program(arguments, self._workspace, self._environment(), seconds, prompt)
                result = await run_lines(program, _Reader(), progress, self._language)
        except OSError as error:  # no room for the settings or the schema
            return WorkResult(session=session, error=describe_error(error))
        recorded = await call_in_pool(lambda: record.read(result.session))
        denied = result.denied if permissions == "full" else (*result.denied, *recorded.denied)
        spent = Spend(tokens=recorded.tokens or result.spent.tokens)
        return replace(result, session=result.session or session, denied=denied, spent=spent)

    def _prepare(self, session: str) -> SessionRecord:
        """Write the settings, if they are our own; find the record of a session."""
        if self._home is not None:
            self._home.write()
        return SessionRecord(self._sessions(), session)

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
            is_report = read_report(_decode(self._last), "") is not None
            return "" if is_report or not self._last else f"{self._last}\n"
        command = text_of(item.get("command"))[:LONGEST_COMMAND]
        if kind == "command_execution" and event == "item.started":
            return f"▸ {command}\n"
        if kind == "command_execution" and item.get("status") == "declined":
            self._denied.append(command)
        return ""

    def result(self, tail: str) -> WorkResult:
        """Return the report, or why there is none."""
        report = read_report(_decode(self._last), self.session) if self._is_complete else None
        is_unknown = not self.session and _UNKNOWN in tail
        return WorkResult(
            report,
            self.session,
            Spend(tokens=sum_counts(self._usage, COUNTS)),
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


def _decode(words: str) -> object:
    try:
        return json.decode(words)
    except (DecodeError, RecursionError, UnicodeEncodeError):
        return None


def _quote(value: str) -> str:
    """Return a text as TOML writes it, which is as JSON does."""
    return json.encode(value).decode()
