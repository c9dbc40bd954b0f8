"""`grep`: find lines in the files of the workspace."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, ClassVar, Final

from outlast.agent.tools.files import walk
from outlast.agent.tools.files.workspace_tool import ReadTool, display_line, display_name
from outlast.errors import ToolFailed
from outlast.language import text
from outlast.model.limits import NAME_CHARACTERS, check_flag, check_length
from outlast.system.programs import run_program

if TYPE_CHECKING:
    from outlast.system.processes import ProcessResult

MAX_MATCHES: Final = 200
SECONDS: Final = 20.0
_SOURCE_ROOT: Final = os.path.abspath(
    os.path.join(os.path.dirname(walk.__file__), *[os.pardir] * 4)
)
# Import our own package, and nothing from the directory that is searched.
_SEARCH_MAIN: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    "from outlast.agent.tools.files.search import main; main()"
)
Json = dict[str, Any]


class Grep(ReadTool):
    """Finds up to 200 lines within 20 s, in text files of up to 4 MiB each.

    It searches the first 4 000 characters of a line and shows 300.
    """

    name: ClassVar[str] = "grep"
    description: ClassVar[str] = "Find lines by a Python regular expression, as path:line: text."
    default_path: ClassVar[str | None] = os.curdir
    seconds: float = SECONDS
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": "string", "description": "File or directory; all if absent."},
            "names": {"type": "string", "description": "Only in files named so, such as *.py."},
            "ignore_case": {"type": "boolean"},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    }

    async def run(self, params: Json) -> str:
        """Return one match per line."""
        params = self.read(params)
        path = self._files.clean(params.get("path", self.default_path))
        query: Json = {
            "pattern": check_length(params["pattern"], "pattern", NAME_CHARACTERS),
            "names": check_length(params.get("names", "*"), "names", NAME_CHARACTERS),
            "ignore_case": check_flag(params.get("ignore_case", False), "ignore_case"),
            "limit": MAX_MATCHES,
            "in_plans": self._files.is_of_plans(path),
        }
        with self._files.open_to_read(path, views=True) as fd:
            request = json.dumps({**query, "fd": fd})
            command = (
                sys.executable,
                "-I",
                "-X",
                "utf8",
                "-W",
                "ignore",
                "-c",
                _SEARCH_MAIN,
                _SOURCE_ROOT,
                request,
            )
            ended = await run_program(command, os.sep, self.seconds, keep=(fd,), environment={})
        return _format_matches(self._parse_answer(ended), path)

    def _parse_answer(self, ended: ProcessResult) -> Json:
        if ended.how == "timeout":
            raise ToolFailed("search_too_long", seconds=f"{self.seconds:g}")
        try:
            answer: Json = json.loads(ended.tail)
        except ValueError as error:
            raise ToolFailed("search_failed", code=ended.code) from error
        if "wrong" in answer:
            raise ToolFailed("pattern_wrong", problem=answer["wrong"])
        return answer


def _format_matches(answer: Json, path: str) -> str:
    lines = [_format_line(path, *match) for match in answer["matches"]]
    if answer["cut"]:
        lines.append(text("search_cut", count=len(lines)))
    return "\n".join(lines) or text("nothing_found")


def _format_line(start: str, path: str, number: int, line: str) -> str:
    where = os.path.normpath(os.path.join(start, path))
    return f"{display_name(where)}:{number}: {display_line(line)}"
