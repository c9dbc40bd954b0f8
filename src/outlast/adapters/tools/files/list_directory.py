"""`list_directory`: list a directory of the workspace."""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import Any, ClassVar, Final

from outlast.adapters.tools.files.walk import PLAN_DIRECTORIES, list_entries
from outlast.adapters.tools.files.workspace_tool import ReadTool, display_name
from outlast.errors import ToolFailed
from outlast.system.threads import call_in_thread
from outlast.texts import text

MAX_NAMES: Final = 1_000
_MARKS: Final = {"directory": "/", "link": "@", "file": "", "other": "?"}
Json = dict[str, Any]


class ListDirectory(ReadTool):
    """Lists up to 1 000 names: `name/` is a directory, `name@` a link, `name?` no plain file."""

    name: ClassVar[str] = "list_directory"
    description: ClassVar[str] = "List a directory; name/ is a directory, name@ a link."
    absent: ClassVar[str] = os.curdir
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The workspace if absent."},
        },
        "additionalProperties": False,
    }

    async def run(self, params: Json) -> str:
        """Return one name per line, sorted."""
        return await call_in_thread(partial(self._list, params.get("path", os.curdir)))

    def _list(self, path: object) -> str:
        with self._files.open_to_read(path) as fd:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise ToolFailed("not_a_directory", path=path)
            entries = [
                entry for entry in list_entries(fd) if entry[0].casefold() not in PLAN_DIRECTORIES
            ]
        lines = [f"{display_name(name)}{_MARKS[kind]}" for name, kind in entries[:MAX_NAMES]]
        if len(entries) > MAX_NAMES:
            lines.append(text("more_left_out", count=len(entries) - MAX_NAMES))
        return "\n".join(lines) or text("nothing_found")
