"""`list_directory`: show a model what is in a directory of the workspace."""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import Any, ClassVar, Final

from outlast.adapters.tools.files.names import shown
from outlast.adapters.tools.files.walk import PLANS, listed
from outlast.adapters.tools.workspace_tool import Looking
from outlast.errors import ToolFailed
from outlast.system.threads import in_thread
from outlast.texts import text

MOST: Final = 1_000
_MARKS: Final = {"directory": "/", "link": "@", "file": "", "other": "?"}
Json = dict[str, Any]


class ListDirectory(Looking):
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
        """Return a name a line, in order."""
        return await in_thread(partial(self._listed, params.get("path", os.curdir)))

    def _listed(self, path: object) -> str:
        with self._files.opened(path) as fd:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise ToolFailed("not_a_directory", path=path)
            found = [one for one in listed(fd) if one[0].casefold() not in PLANS]
        lines = [f"{shown(name)}{_MARKS[kind]}" for name, kind in found[:MOST]]
        if len(found) > MOST:
            lines.append(text("more_left_out", count=len(found) - MOST))
        return "\n".join(lines) or text("nothing_found")
