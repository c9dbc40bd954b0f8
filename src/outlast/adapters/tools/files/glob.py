"""`glob`: let a model find files of the workspace by their names."""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from outlast.adapters.tools.files.names import shown
from outlast.adapters.tools.files.walk import Walk
from outlast.adapters.tools.workspace_tool import Looking
from outlast.domain.limits import NAME_CHARACTERS, check_length
from outlast.errors import ToolFailed
from outlast.formats.path_pattern import fits, names_of
from outlast.system.threads import in_thread
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.ports.tool import Concern

MOST: Final = 1_000
_MAGIC: Final = frozenset("*?[")
Json = dict[str, Any]


class Glob(Looking):
    """Finds up to 1 000 files among 100 000 names; `.git` and the files of plans are left out."""

    name: ClassVar[str] = "glob"
    description: ClassVar[str] = "Find files by a pattern such as src/**/*.py."
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": "string", "description": "Where; the workspace if absent."},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    }

    def concern(self, params: Json) -> Concern | None:
        """Ask for a directory outside."""
        return self._files.concern(_wanted(params)[0])

    async def run(self, params: Json) -> str:
        """Return a path a line, in order."""
        check_length(params.get("pattern"), "pattern", NAME_CHARACTERS)
        return await in_thread(partial(self._found, *_wanted(params)))

    def _found(self, path: object, pattern: tuple[str, ...]) -> str:
        if os.pardir in pattern:
            raise ToolFailed("path_outside", path="/".join(pattern))
        with self._files.opened(path) as fd:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise ToolFailed("not_a_directory", path=path)
            lines, cut = _matches(Walk(fd), pattern, os.path.normpath(str(path)))
        if cut:
            lines.append(text("search_cut", count=len(lines)))
        return "\n".join(lines) or text("nothing_found")


def _matches(walk: Walk, pattern: tuple[str, ...], start: str) -> tuple[list[str], bool]:
    lines: list[str] = []
    for found in walk:
        if found.kind != "directory" and fits(found.path, pattern):
            if len(lines) == MOST:
                return lines, True
            lines.append(shown(os.path.normpath(os.path.join(start, *found.path))))
    return lines, walk.cut


def _wanted(params: Json) -> tuple[object, tuple[str, ...]]:
    """Return where to look and for what: a pattern that is a whole path says both."""
    pattern, path = params.get("pattern"), params.get("path", os.curdir)
    if not isinstance(pattern, str):
        return path, ()
    names = names_of(pattern)
    if not pattern.startswith("/"):
        return path, names
    plain = next((place for place, name in enumerate(names) if _MAGIC & set(name)), len(names))
    begin = min(plain, max(len(names) - 1, 0))
    return "/" + "/".join(names[:begin]), names[begin:]
