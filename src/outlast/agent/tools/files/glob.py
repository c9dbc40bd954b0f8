"""`glob`: find files of the workspace by a name pattern."""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from outlast.agent.tools.files.walk import PLAN_DIRECTORIES, Walk
from outlast.agent.tools.files.workspace_tool import ReadTool, display_name
from outlast.errors import ToolFailed
from outlast.language import text
from outlast.model.limits import NAME_CHARACTERS, check_length
from outlast.system.patterns import is_match, path_names
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from outlast.context.tool import PermissionRequest

MAX_FILES: Final = 1_000
_MAGIC: Final = frozenset("*?[")
Json = dict[str, Any]


class Glob(ReadTool):
    """Finds up to 1 000 files among 100 000 names; skips `.git` and plan files."""

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

    def permission_request(self, params: Json) -> PermissionRequest | None:
        """Return a request if the search starts outside the workspace."""
        return self._files.permission_request(_split_pattern(self.fit(params))[0], views=True)

    async def run(self, params: Json) -> str:
        """Return one path per line, sorted."""
        params = self.read(params)
        check_length(params["pattern"], "pattern", NAME_CHARACTERS)
        return await call_in_thread(partial(self._find, *_split_pattern(params)))

    def _find(self, path: object, pattern: tuple[str, ...]) -> str:
        if os.pardir in pattern:
            raise ToolFailed("path_outside", path="/".join(pattern))
        start = self._files.clean(path)
        with self._files.open_to_read(start, views=True) as fd:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise ToolFailed("not_a_directory", path=start)
            walk = Walk(fd, in_plans=self._files.is_of_plans(start))
            lines, cut = _matches(walk, pattern, os.path.normpath(start))
        if cut:
            lines.append(text("search_cut", count=len(lines)))
        return "\n".join(lines) or text("nothing_found")


def _matches(walk: Walk, pattern: tuple[str, ...], start: str) -> tuple[list[str], bool]:
    lines: list[str] = []
    for entry in walk:
        if entry.kind != "directory" and is_match(entry.path, pattern):
            if len(lines) == MAX_FILES:
                return lines, True
            lines.append(display_name(os.path.normpath(os.path.join(start, *entry.path))))
    return lines, walk.is_truncated


def _split_pattern(params: Json) -> tuple[object, tuple[str, ...]]:
    """Return the start directory and the pattern.

    A pattern that is absolute or leads into the directory of plans is split into both.
    """
    pattern, path = params.get("pattern"), params.get("path", os.curdir)
    if not isinstance(pattern, str):
        return path, ()
    names = path_names(pattern)
    is_absolute = pattern.startswith("/")
    if not is_absolute and (not names or names[0].casefold() not in PLAN_DIRECTORIES):
        return path, names
    magic = next((index for index, name in enumerate(names) if _MAGIC & set(name)), len(names))
    split = min(magic, max(len(names) - 1, 0))
    return os.path.join("/" if is_absolute else str(path), *names[:split]), names[split:]
