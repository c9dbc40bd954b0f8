"""`list_directory`: list a directory of the workspace."""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import Any, ClassVar, Final

from outlast.agent.tools.files.walk import PLAN_DIRECTORIES, is_hidden, list_entries
from outlast.agent.tools.files.workspace_tool import ReadTool, display_name
from outlast.errors import ToolFailed
from outlast.language import text
from outlast.system.threads import call_in_thread

MAX_NAMES: Final = 1_000
_MARKS: Final = {"directory": "/", "link": "@", "file": "", "other": "?"}
Json = dict[str, Any]


class ListDirectory(ReadTool):
    """Lists up to 1 000 names: `name/` is a directory, `name@` a link, `name?` no plain file."""

    name: ClassVar[str] = "list_directory"
    description: ClassVar[str] = "List a directory; name/ is a directory, name@ a link."
    default_path: ClassVar[str | None] = os.curdir
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {"path": {"type": "string", "description": "The workspace if absent."}},
        "additionalProperties": False,
    }

    async def run(self, params: Json) -> str:
        """Return one name per line, sorted."""
        path = self.read(params).get("path", self.default_path)
        return await call_in_thread(partial(self._list, path))

    def _list(self, path: object) -> str:
        with self._files.open_to_read(path, views=True) as fd:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise ToolFailed("not_a_directory", path=path)
            entries = list_entries(fd)
        if self._files.is_of_plans(path):
            entries = [entry for entry in entries if not is_hidden(*entry, in_plans=True)]
        else:
            entries = [entry for entry in entries if entry[0].casefold() not in PLAN_DIRECTORIES]
        lines = [f"{display_name(name)}{_MARKS[kind]}" for name, kind in entries[:MAX_NAMES]]
        if len(entries) > MAX_NAMES:
            lines.append(text("more_left_out", count=len(entries) - MAX_NAMES))
        return "\n".join(lines) or text("nothing_found")
