"""The agent `claude-code`: Claude Code without a terminal, one session for each task.

A new session gets the id of its first order, so that it can be found again after a crash.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from outlast.agent.work import Permissions, WorkOrder, WorkProgress, WorkResult
from outlast.errors import OutOfBudget
from outlast.language import Language, text
from outlast.model.budget import Spend
from outlast.orchestrator.agents.process import (
    SESSION_UNKNOWN,
    Program,
    ProgramAgent,
    find_program,
    read_report,
    run_lines,
    sum_counts,
    text_of,
)
from outlast.orchestrator.agents.report_answer import REPORT_SCHEMA
from outlast.system.environment import child_environment

if TYPE_CHECKING:
    from collections.abc import Collection


Json = dict[str, Any]
# The settings of a project name programs that would run: hooks, servers, a helper for the key.
_OWN_SETTINGS: Final = ("--setting-sources", "user", "--strict-mcp-config")
# What each level of permissions is called there. Nobody can answer a question: it is a refusal.
_MODES: Final[dict[Permissions, tuple[str, ...]]] = {
    "read": ("--permission-mode", "plan", *_OWN_SETTINGS),
    "edit": ("--permission-mode", "acceptEdits", *_OWN_SETTINGS),
    "full": ("--permission-mode", "bypassPermissions"),
}
_KEYS: Final = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CONFIG_DIR",
)
_QUIET: Final = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "MCP_CONNECTION_NONBLOCKING": "0",
}
_COUNTS: Final = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)
_MODEL_COUNTS: Final = (
    "inputTokens",
    "outputTokens",
    "cacheCreationInputTokens",
    "cacheReadInputTokens",
)
_WILD: Final = re.compile(r"[*\n]")
_REFUSALS: Final = (401, 403)  # of the model's server
_UNKNOWN: Final = "No conversation found with session ID"
_MOST_DOLLARS: Final = 1e9
_LEAST_DOLLARS: Final = 0.0001
_CODES: Final[dict[object, str]] = {"error_max_budget_usd": OutOfBudget.code}
_REPORT_TOOL: Final = "StructuredOutput"  # through which it reports, not a step of the work
_MAIN_INPUTS: Final = ("command", "file_path", "path", "pattern", "url", "query", "description")
_SHOWN_CHARACTERS: Final = 200


class ClaudeCodeAgent(ProgramAgent):
    """Drives the command `claude` in a directory.

    With `config` it uses a configuration directory of its own instead of the user's.
    """

    name = "claude-code"
    _guide = "CLAUDE.md"

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        workspace: str,
        *,
        program: str = "claude",
        model: str = "",
        config: str = "",
        pass_env: Collection[str] = (),
        language: Language = "en",
    ) -> None:
        """Take the directory to work in; the program is looked for on the first use."""
        super().__init__(workspace, program, model, pass_env, language)
        self._config = config
        self._paid: dict[str, float] = {}

    async def end_session(self, session: str) -> None:
        """Forget a session: one that nobody resumes has ended."""
        self._paid.pop(session, None)

    def _session_of(self, order: str) -> str:
        return order.removeprefix("task-")

    async def _run(
        self, prompt: str, session: str, order: WorkOrder, progress: WorkProgress
    ) -> WorkResult:
        new = ("--session-id", self._session_of(order.id))
        arguments = (
            find_program(self._program),
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--json-schema",
            json.encode(REPORT_SCHEMA).decode(),
            *(("--model", self._model) if self._model else ()),
            *(("--resume", session) if session else new),
            *_permission_options(order),
        )
        program = Program(arguments, self._workspace, self._environment(), order.timeout, prompt)
        reader = _Reader(self._paid, self._language, is_resumed=bool(session))
        return await run_lines(program, reader, progress, self._language)

    def _environment(self) -> dict[str, str]:
        own = {"CLAUDE_CONFIG_DIR": self._config} if self._config else {}
        if os.getuid() == 0:
            own["IS_SANDBOX"] = "1"  # as root it refuses `bypassPermissions` otherwise
        return {**child_environment((*_KEYS, *self._pass_env)), **_QUIET, **own}


class _Reader:
    """Reads `--output-format stream-json`; `paid` is what each session has cost so far."""

    def __init__(self, paid: dict[str, float], language: Language, *, is_resumed: bool) -> None:
        self.session, self._paid, self._is_resumed = "", paid, is_resumed
        self._language, self._retried, self.is_hopeless = language, "", False
        self._result: Json = {}
        self._used: dict[str, int] = {}  # tokens by message

    def read(self, line: Json) -> str:
        """Take a line; return the words of the agent and the names of the tools it uses."""
        if line.get("type") == "result":
            self._result = line
        if not self._is_unknown:
            self.session = text_of(line.get("session_id")) or self.session
        if line.get("subtype") == "api_retry":
            return self._read_retry(line)
        message = line.get("message")
        if line.get("type") != "assistant" or not isinstance(message, dict):
            return ""
        id_, tokens = text_of(message.get("id")), sum_counts(message.get("usage"), _COUNTS)
        self._used[id_] = max(tokens, self._used.get(id_, 0))
        blocks = message.get("content")
        shown = [_show(block) for block in blocks or () if isinstance(block, dict)]
        return "".join(f"{words}\n" for words in shown if words)

    def _read_retry(self, line: Json) -> str:
        """Take the notice that the model could not be asked; a wrong key stays wrong."""
        status, tried = line.get("error_status"), line.get("attempt")
        known = {"error": text_of(line.get("error")), "status": status}
        key = "agent_model_refused" if isinstance(status, int) else "agent_model_unreachable"
        self._retried = text(key, self._language, **known)
        self.is_hopeless = status in _REFUSALS and isinstance(tried, int) and tried > 1
        return f"{self._retried}\n"

    def result(self, tail: str) -> WorkResult:
        """Return the report, or why there is none; and what the work has cost."""
        del tail
        line = self._result
        tokens = sum_counts(line.get("usage"), _COUNTS) or sum(self._used.values())
        spent = Spend(tokens=tokens, money=self._count_money(tokens))
        denials = line.get("permission_denials")
        denied = tuple(_denial(item) for item in denials) if isinstance(denials, list) else ()
        report = read_report(line.get("structured_output"), self.session)
        errors = line.get("errors")
        problems = [text_of(error) for error in errors] if isinstance(errors, list) else []
        error = text_of(line.get("result")) or "\n".join(filter(None, problems)) or self._retried
        code = SESSION_UNKNOWN if self._is_unknown else _CODES.get(line.get("subtype"), "")
        return WorkResult(report, self.session, spent, denied, error=error, code=code)

    @property
    def _is_unknown(self) -> bool:
        errors = self._result.get("errors")
        said = errors if isinstance(errors, list) else ()
        return any(text_of(error).startswith(_UNKNOWN) for error in said)

    def _count_money(self, tokens: int) -> float:
        """Return the dollars of this run: Claude Code tells those of the whole session.

        What the session has cost in a process before this one is not known, but its tokens are.
        """
        total, before = _number(self._result.get("total_cost_usd")), self._paid.get(self.session)
        if self._result:
            self._paid[self.session] = total
        if before is not None or not self._is_resumed:
            return max(total - (before or 0.0), 0.0)
        models = self._result.get("modelUsage")
        usages = models.values() if isinstance(models, dict) else ()
        all_tokens = sum(sum_counts(usage, _MODEL_COUNTS) for usage in usages)
        return total * tokens / all_tokens if all_tokens > tokens else total


def _permission_options(order: WorkOrder) -> tuple[str, ...]:
    """Return what an order permits: a mode, the commands that were approved, the money."""
    options = _MODES[order.permissions]
    if order.permissions == "edit":
        options = (*options, *_allowed_tools(order.approved))
    if order.money is not None:
        options = (*options, "--max-budget-usd", f"{max(order.money, _LEAST_DOLLARS):.4f}")
    return options


def _allowed_tools(commands: tuple[str, ...]) -> tuple[str, ...]:
    """Return the option that lets an agent run these commands; `*` would allow others as well."""
    exact = [f"Bash({command})" for command in commands if not _WILD.search(command)]
    return ("--allowedTools", *exact) if exact else ()


def _show(block: Json) -> str:
    if block.get("type") == "text":
        return text_of(block.get("text"))
    if block.get("type") == "tool_use" and block.get("name") != _REPORT_TOOL:
        return f"▸ {text_of(block.get('name'))} {_main_input(block.get('input'))}".rstrip()
    return ""


def _main_input(given: object) -> str:
    """Return the input of a tool that tells most, as one line."""
    if not isinstance(given, dict):
        return ""
    known = (given[name] for name in _MAIN_INPUTS if name in given)
    return " ".join(text_of(next(known, "")).split())[:_SHOWN_CHARACTERS]


def _denial(item: object) -> str:
    if not isinstance(item, dict):
        return "?"
    given = item.get("tool_input")
    first = next(iter(given.values()), "") if isinstance(given, dict) else ""
    return f"{text_of(item.get('tool_name'))}({text_of(first)[:200]})"


def _number(value: object) -> float:
    if isinstance(value, int | float) and 0 <= value < _MOST_DOLLARS:
        return float(value)
    return 0.0
