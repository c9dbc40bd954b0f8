"""`grep`: let a model find lines in the files of the workspace."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, ClassVar, Final

import outlast.adapters.tools.files.walk as beside
from outlast.adapters.tools.files.names import shown, shown_line
from outlast.adapters.tools.programs import run_program
from outlast.adapters.tools.workspace_tool import Looking
from outlast.domain.limits import NAME_CHARACTERS, check_flag, check_length
from outlast.errors import ToolFailed
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.system.processes import Ended

MOST: Final = 200
SECONDS: Final = 20.0
_ROOM: Final = os.path.abspath(os.path.join(os.path.dirname(beside.__file__), *[os.pardir] * 4))
_MAIN: Final = (  # from where we are installed, and nothing from the directory that is searched
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    "from outlast.adapters.tools.files.search import main; main()"
)
Json = dict[str, Any]


class Grep(Looking):
    """Finds up to 200 lines within 20 s, in text files of up to 4 MiB each.

    Of a line the first 4 000 characters are searched, and 300 are shown.
    """

    name: ClassVar[str] = "grep"
    description: ClassVar[str] = "Find lines by a Python regular expression, as path:line: text."
    absent: ClassVar[str] = os.curdir
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
        """Return a match a line."""
        wanted: Json = {
            "pattern": check_length(params.get("pattern"), "pattern", NAME_CHARACTERS),
            "names": check_length(params.get("names", "*"), "names", NAME_CHARACTERS),
            "ignore_case": check_flag(params.get("ignore_case", False), "ignore_case"),
            "limit": MOST,
        }
        path = params.get("path", os.curdir)
        with self._files.opened(path) as fd:
            told = json.dumps({**wanted, "fd": fd})
            command = (sys.executable, "-I", "-X", "utf8", "-W", "ignore", "-c", _MAIN, _ROOM, told)
            ended = await run_program(command, os.sep, self.seconds, keep=(fd,), environment={})
        return _told(self._answer(ended), str(path))

    def _answer(self, ended: Ended) -> Json:
        if ended.how == "timeout":
            raise ToolFailed("search_too_long", seconds=f"{self.seconds:g}")
        try:
            answer: Json = json.loads(ended.tail)
        except ValueError as error:
            raise ToolFailed("search_failed", code=ended.code) from error
        if "wrong" in answer:
            raise ToolFailed("pattern_wrong", problem=answer["wrong"])
        return answer


def _told(answer: Json, path: str) -> str:
    lines = [_line(path, *match) for match in answer["matches"]]
    if answer["cut"]:
        lines.append(text("search_cut", count=len(lines)))
    return "\n".join(lines) or text("nothing_found")


def _line(start: str, path: str, number: int, line: str) -> str:
    where = os.path.normpath(os.path.join(start, path))
    return f"{shown(where)}:{number}: {shown_line(line)}"
