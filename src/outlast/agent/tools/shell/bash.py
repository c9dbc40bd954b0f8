"""`bash`: run a shell command in the workspace."""

from __future__ import annotations

import os
from errno import EINVAL
from shutil import which
from typing import TYPE_CHECKING, Any, ClassVar, Final

from outlast.agent.tools.files.workspace_tool import WorkspaceTool, object_schema
from outlast.agent.tools.shell.inspection import find_destructive, find_outside_paths
from outlast.context.tool import Level, PermissionRequest, Settlement
from outlast.errors import InvalidArgument, ToolFailed
from outlast.language import text
from outlast.model.limits import check_number, check_text
from outlast.redact.secrets import redact
from outlast.redact.truncate import head_and_tail
from outlast.system.environment import child_environment
from outlast.system.programs import run_program

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outlast.system.disk import Disk
    from outlast.system.processes import ProcessResult

SECONDS: Final = 120
MAX_SECONDS: Final = 600
OUTPUT: Final = 16 * 1024  # bytes shown: half from the beginning, half from the end
_MAX_SHOWN: Final = 1_000  # characters of a command that a person is shown in full
_JOURNAL_CHARACTERS: Final = 200  # of a command; the journal records a digest of longer texts
Json = dict[str, Any]


class Bash(WorkspaceTool):
    """Runs a command with a timeout of 120 s, at most 600, and returns up to 16 KiB of output.

    The command has no input and no secrets in its environment. When it ends, all processes that it
    started are killed.
    """

    name: ClassVar[str] = "bash"
    description: ClassVar[str] = (
        "Run a shell command in the workspace; it has no input and ends with the call."
    )
    level: ClassVar[Level] = "execute"
    parameters: ClassVar[Json] = object_schema(
        "command",
        command={"type": "string"},
        timeout={"type": "integer", "minimum": 1, "description": "Seconds; 120 if absent."},
        cwd={"type": "string", "description": "Directory, instead of cd; the workspace if absent."},
    )

    def __init__(
        self,
        workspace: str,
        disk: Disk | None = None,
        *,
        allow_outside: bool = False,
        max_seconds: int = MAX_SECONDS,
        pass_env: Collection[str] = (),
    ) -> None:
        """Take the workspace; `max_seconds` limits the timeout of every command.

        Commands get the variables in `pass_env` even if they look like secrets.
        """
        super().__init__(workspace, disk, allow_outside=allow_outside)
        self._max_seconds, self._pass_env = max(max_seconds, 1), pass_env
        self._shell = which("bash") or "/bin/sh"

    def permission_request(self, params: Json) -> PermissionRequest | None:
        """Return a request for destructive commands and for paths outside the workspace."""
        params = self.fit(params)
        try:
            command = check_text(params.get("command"), "command")
        except InvalidArgument:
            return None  # `run` refuses it anyway
        cwd_request = self._files.permission_request(params.get("cwd", os.curdir))
        destructive = find_destructive(command)
        paths = list(cwd_request.items) if cwd_request else []
        paths += [
            f"path:{path}"
            for path in find_outside_paths(
                command, self._working_directory(params), self._files.root
            )
        ]
        items = (*(f"{self.name}:{part}" for part in destructive), *dict.fromkeys(paths))
        if not items:
            return None
        return PermissionRequest(
            "destructive" if destructive else "outside", _describe(command, items), items
        )

    async def run(self, params: Json) -> str:
        """Return the output of the command; raise `ToolFailed` unless it exits with 0."""
        params = self.read(params)
        command = check_text(params["command"], "command")
        default = min(SECONDS, self._max_seconds)
        seconds = min(
            check_number(params.get("timeout", default), "timeout", 1, 86_400), self._max_seconds
        )
        with self._files.open_to_read(params.get("cwd", os.curdir)):
            cwd = self._files.locate(params.get("cwd", os.curdir))
        arguments, environment = (self._shell, "-c", command), child_environment(self._pass_env)
        try:
            ended = await run_program(arguments, cwd, seconds, environment=environment)
        except (OSError, ValueError) as error:  # no process available, or a NUL in the command
            problem = os.strerror(getattr(error, "errno", None) or EINVAL)
            raise ToolFailed("command_not_started", problem=problem) from error
        return _report(ended, seconds)

    def journal_params(self, params: Json) -> Json:
        """Return the command without secrets, shortened: after a crash a person is shown it."""
        command = params.get("command")
        if not isinstance(command, str):
            return params
        shown = redact(command)
        if len(shown) > _JOURNAL_CHARACTERS:
            shown = f"{shown[: _JOURNAL_CHARACTERS - 1]}…"
        return {**params, "command": shown}

    def settle(self, params: Json) -> Settlement:  # noqa: ARG002 - the same for every command
        """Return "unknown": the effects of a command cannot be checked."""
        return "unknown"

    def _working_directory(self, params: Json) -> str:
        """Return where a command would run; the workspace if it will be refused."""
        try:
            return self._files.locate(params.get("cwd", os.curdir))
        except (ToolFailed, InvalidArgument):
            return self._files.root


def _describe(command: str, items: Sequence[str]) -> str:
    """Return the command for a person, with outside paths that it does not spell out."""
    paths = (item for item in items if item.startswith("path:"))
    unmentioned = [path for path in paths if path.removeprefix("path:") not in command]
    description = f"{command} → {', '.join(unmentioned)}" if unmentioned else command
    return description if len(description) <= _MAX_SHOWN else "; ".join(items)


def _report(ended: ProcessResult, seconds: int) -> str:
    output = _shorten_output(ended) or text("no_output")
    if not ended.code and ended.how != "timeout":
        return output
    output = output.rstrip()
    if ended.how == "timeout":
        raise ToolFailed("command_too_long", seconds=seconds, output=output)
    if ended.code < 0:
        raise ToolFailed("command_killed", signal=-ended.code, output=output)
    raise ToolFailed("command_failed", code=ended.code, output=output)


def _shorten_output(ended: ProcessResult) -> str:
    """Return the output, truncated in the middle if it is long."""
    if ended.size <= OUTPUT:
        return _decode(ended.tail)
    half = OUTPUT // 2
    cut = text("output_cut", count=ended.size - 2 * half)
    head, _ = head_and_tail(_decode(ended.head), half)
    _, tail = head_and_tail(_decode(ended.tail), half)
    return f"{head}\n{cut}\n{tail}"


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")
