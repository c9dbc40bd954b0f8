"""The tools that only read the workspace: `read_file`, `list_directory`, `glob`, `grep`."""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from outlast.agent.tools.files.walk import PLAN_DIRECTORIES, Walk, is_hidden, list_entries
from outlast.agent.tools.files.workspace_tool import WorkspaceTool, object_schema
from outlast.errors import ToolFailed
from outlast.language import text, visible
from outlast.model.limits import LARGEST_ID, NAME_CHARACTERS, check_flag, check_length, check_number
from outlast.system.patterns import is_match, path_names
from outlast.system.programs import run_program
from outlast.system.threads import call_in_thread, call_to_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.context.tool import Level, PermissionRequest, Settlement
    from outlast.system.processes import ProcessResult

Json = dict[str, Any]
MAX_SHOWN: Final = 256 * 1024  # bytes of a file
MAX_FILE_BYTES: Final = 16 * 1024 * 1024
MAX_NAMES: Final = 1_000  # in a listing
MAX_FILES: Final = 1_000  # that `glob` finds
MAX_MATCHES: Final = 200  # that `grep` finds
SECONDS: Final = 20.0  # that `grep` may take
_MARKS: Final = {"directory": "/", "link": "@", "file": "", "other": "?"}
_MAGIC: Final = frozenset("*?[")
_SOURCE_ROOT: Final = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))
# Import our own package, and nothing from the directory that is searched.
_SEARCH_MAIN: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    "from outlast.agent.tools.files.search import main; main()"
)
_SEARCH: Final = ("-I", "-X", "utf8", "-W", "ignore", "-c", _SEARCH_MAIN, _SOURCE_ROOT)


class ReadTool(WorkspaceTool):
    """A tool that only reads."""

    level: ClassVar[Level] = "read"

    def settle(self, params: Json) -> Settlement:  # noqa: ARG002 - the same for every call
        """Return "not_done": reading has no effects and may be repeated."""
        return "not_done"

    @contextmanager
    def _open_directory(self, path: object) -> Iterator[int]:
        with self._files.open_to_read(path, views=True) as fd:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise ToolFailed("not_a_directory", path=path)
            yield fd


class ReadFile(ReadTool):
    """Returns up to 256 KiB: a whole file, or some lines of a file of up to 16 MiB."""

    name: ClassVar[str] = "read_file"
    description: ClassVar[str] = "Read a text file, or some of its lines."
    parameters: ClassVar[Json] = object_schema(
        "path",
        path={"type": "string"},
        offset={"type": "integer", "minimum": 1, "description": "First line; 1 if absent."},
        limit={"type": "integer", "minimum": 1, "description": "How many lines."},
    )

    def _read(self, path: object) -> bytes:
        with self._files.open_parent(path, views=True) as file:
            return self._files.read(file, MAX_FILE_BYTES)

    async def run(self, params: Json) -> str:
        """Return the text of a file, or the requested lines."""
        params = self.read(params)
        first = check_number(params.get("offset", 1), "offset", 1, LARGEST_ID)
        count = check_number(params.get("limit", LARGEST_ID), "limit", 1, LARGEST_ID)
        data = await call_to_end(partial(self._read, params["path"]))
        if first > 1 or count < LARGEST_ID:
            data = b"".join(data.splitlines(keepends=True)[first - 1 : first - 1 + count])
        if len(data) > MAX_SHOWN:
            raise ToolFailed("part_too_large", path=params["path"], limit=MAX_SHOWN)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise ToolFailed("file_not_text", path=params["path"]) from error


class ListDirectory(ReadTool):
    """Lists up to 1 000 names: `name/` is a directory, `name@` a link, `name?` no plain file."""

    name: ClassVar[str] = "list_directory"
    description: ClassVar[str] = "List a directory; name/ is a directory, name@ a link."
    default_path: ClassVar[str | None] = os.curdir
    parameters: ClassVar[Json] = object_schema(
        path={"type": "string", "description": "The workspace if absent."}
    )

    async def run(self, params: Json) -> str:
        """Return one name per line, sorted."""
        path = self.read(params).get("path", self.default_path)
        return await call_in_thread(partial(self._list, path))

    def _list(self, path: object) -> str:
        with self._open_directory(path) as fd:
            entries = list_entries(fd)
        if self._files.is_of_plans(path):
            entries = [entry for entry in entries if not is_hidden(*entry, in_plans=True)]
        else:
            entries = [entry for entry in entries if entry[0].casefold() not in PLAN_DIRECTORIES]
        lines = [f"{display_name(name)}{_MARKS[kind]}" for name, kind in entries[:MAX_NAMES]]
        if len(entries) > MAX_NAMES:
            lines.append(text("more_left_out", count=len(entries) - MAX_NAMES))
        return "\n".join(lines) or text("nothing_found")


class Glob(ReadTool):
    """Finds up to 1 000 files among 100 000 names; skips `.git` and plan files."""

    name: ClassVar[str] = "glob"
    description: ClassVar[str] = "Find files by a pattern such as src/**/*.py."
    parameters: ClassVar[Json] = object_schema(
        "pattern",
        pattern={"type": "string"},
        path={"type": "string", "description": "Where; the workspace if absent."},
    )

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
        with self._open_directory(start) as fd:
            walk = Walk(fd, in_plans=self._files.is_of_plans(start))
            return _show_found(*_matches(walk, pattern, os.path.normpath(start)))


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


class Grep(ReadTool):
    """Finds up to 200 lines within 20 s, in text files of up to 4 MiB each.

    It searches the first 4 000 characters of a line and shows 300.
    """

    name: ClassVar[str] = "grep"
    description: ClassVar[str] = "Find lines by a Python regular expression, as path:line: text."
    default_path: ClassVar[str | None] = os.curdir
    seconds: float = SECONDS
    parameters: ClassVar[Json] = object_schema(
        "pattern",
        pattern={"type": "string"},
        path={"type": "string", "description": "File or directory; all if absent."},
        names={"type": "string", "description": "Only in files named so, such as *.py."},
        ignore_case={"type": "boolean"},
    )

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
            command = (sys.executable, *_SEARCH, request)
            ended = await run_program(command, os.sep, self.seconds, keep=(fd,), environment={})
        answer = self._parse_answer(ended)
        return _show_found(
            [_format_line(path, *match) for match in answer["matches"]], answer["cut"]
        )

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


def _format_line(start: str, path: str, number: int, line: str) -> str:
    where = os.path.normpath(os.path.join(start, path))
    return f"{display_name(where)}:{number}: {display_line(line)}"


def _show_found(lines: list[str], is_cut: bool) -> str:  # noqa: FBT001 - as a search returns it
    if is_cut:
        lines.append(text("search_cut", count=len(lines)))
    return "\n".join(lines) or text("nothing_found")


def display_name(name: str) -> str:
    """Return a file name on one line, with control characters and invalid bytes escaped."""
    return visible(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def display_line(line: str) -> str:
    """Return a line of a file the same way, but keep its tabs."""
    return "\t".join(map(display_name, line.split("\t")))
