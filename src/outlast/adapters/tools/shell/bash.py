"""`bash`: let a model run a command in the workspace."""

from __future__ import annotations

import os
from errno import EINVAL
from shutil import which
from typing import TYPE_CHECKING, Any, ClassVar, Final

from outlast.adapters.tools.programs import run_program
from outlast.adapters.tools.shell.environment import without_keys
from outlast.adapters.tools.shell.policy import dangers, outside
from outlast.adapters.tools.workspace_tool import Placed
from outlast.domain.limits import check_number, check_text
from outlast.errors import InvalidArgument, ToolFailed
from outlast.formats.redact.truncate import both_ends
from outlast.ports.tool import Concern
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.ports.tool import Level, Settlement
    from outlast.system.disk import Disk
    from outlast.system.processes import Ended

SECONDS: Final = 120
MOST_SECONDS: Final = 600
OUTPUT: Final = 16 * 1024  # bytes that are shown, half of them of the beginning
_SHOWN: Final = 1_000  # characters of a command up to which a person is shown all of it
Json = dict[str, Any]


class Bash(Placed):
    """Runs a command for up to 120 s, at most 600, and shows up to 16 KiB of its output.

    It has no input and no keys in its environment; nothing that it started is left when it ends.
    """

    name: ClassVar[str] = "bash"
    description: ClassVar[str] = (
        "Run a shell command in the workspace; it has no input and ends with the call."
    )
    level: ClassVar[Level] = "execute"
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "command": {"type": "string"},
            "timeout": {"type": "integer", "minimum": 1, "description": "Seconds; 120 if absent."},
            "cwd": {
                "type": "string",
                "description": "Directory, instead of cd; the workspace if absent.",
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    }

    def __init__(
        self,
        workspace: str,
        disk: Disk | None = None,
        *,
        outside: bool = False,
        most_seconds: int = MOST_SECONDS,
    ) -> None:
        """Run commands in a directory."""
        super().__init__(workspace, disk, outside=outside)
        self._most = max(most_seconds, 1)
        self._shell = which("bash") or "/bin/sh"

    def concern(self, params: Json) -> Concern | None:
        """Ask for what may destroy something, and for paths outside."""
        try:
            command = check_text(params.get("command"), "command")
        except InvalidArgument:
            return None  # it is refused without asking
        away = self._files.concern(params.get("cwd", os.curdir))
        bad = dangers(command)
        paths = list(away.each) if away else []
        paths += [
            f"path:{path}" for path in outside(command, self._place(params), self._files.root)
        ]
        each = (*(f"{self.name}:{one}" for one in bad), *dict.fromkeys(paths))
        if not each:
            return None
        return Concern("destructive" if bad else "outside", _shown(command, each), each)

    async def run(self, params: Json) -> str:
        """Return what the command printed, and how it ended if not with 0."""
        command = check_text(params.get("command"), "command")
        default = min(SECONDS, self._most)
        seconds = min(
            check_number(params.get("timeout", default), "timeout", 1, 86_400), self._most
        )
        with self._files.opened(params.get("cwd", os.curdir)):
            where = self._place(params)
        arguments, environment = (self._shell, "-c", command), without_keys(os.environ)
        try:
            ended = await run_program(arguments, where, seconds, environment=environment)
        except (OSError, ValueError) as error:  # no process to be had, or a NUL
            problem = os.strerror(getattr(error, "errno", None) or EINVAL)
            raise ToolFailed("command_not_started", problem=problem) from error
        return _told(ended, seconds)

    def settle(self, params: Json) -> Settlement:  # noqa: ARG002 - the same for every command
        """Leave it to a person: nobody knows what a command has done."""
        return "unknown"

    def _place(self, params: Json) -> str:
        return os.path.join(self._files.root, str(params.get("cwd", os.curdir)))


def _shown(command: str, each: Sequence[str]) -> str:
    """Return what a person is shown: a command with where it leads, if it does not say so."""
    paths = (one for one in each if one.startswith("path:"))
    unsaid = [path for path in paths if path.removeprefix("path:") not in command]
    shown = f"{command} → {', '.join(unsaid)}" if unsaid else command
    return shown if len(shown) <= _SHOWN else "; ".join(each)


def _told(ended: Ended, seconds: int) -> str:
    output = _output(ended) or text("no_output")
    if ended.how == "timeout":
        raise ToolFailed("command_too_long", seconds=seconds, output=output)
    if ended.code < 0:
        raise ToolFailed("command_killed", signal=-ended.code, output=output)
    if ended.code:
        raise ToolFailed("command_failed", code=ended.code, output=output)
    return output


def _output(ended: Ended) -> str:
    """Return all that was printed, or its beginning and its end."""
    if ended.size <= OUTPUT:
        return _decoded(ended.tail)
    half = OUTPUT // 2
    cut = text("output_cut", count=ended.size - 2 * half)
    head, _ = both_ends(_decoded(ended.head), half)
    _, tail = both_ends(_decoded(ended.tail), half)
    return f"{head}\n{cut}\n{tail}"


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")
