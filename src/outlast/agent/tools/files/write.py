"""The tools that change files of the workspace, atomically: `write_file` and `edit_file`.

After a crash, digests of the content before and after settle what became of a change. The journal
records them and the short parameters, which people can read.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Final

from outlast.agent.tools.files.directory import is_unreadable
from outlast.agent.tools.files.workspace_tool import WorkspaceTool, object_schema
from outlast.context.tool import DIGEST, Level, Settlement
from outlast.errors import InvalidArgument, ToolFailed
from outlast.language import text
from outlast.model.limits import check_flag, wrong_type_error
from outlast.system.threads import call_to_end

if TYPE_CHECKING:
    from collections.abc import Callable


MAX_BYTES: Final = 1024 * 1024  # of a file that tools may change
_MAX_KEPT: Final = 60  # characters of a parameter that is recorded as it is
_TEXTS: Final = ("content", "old", "new")
_WAS: Final = "was"
_WILL_BE: Final = "will_be"
_REFUSED: Final = (ToolFailed, InvalidArgument)
Json = dict[str, Any]


class WriteTool(WorkspaceTool):
    """A tool that changes a file; the journal has digests from before and after."""

    level: ClassVar[Level] = "write"

    def _journal_params(self, params: Json, edit: Callable[[Json, bytes | None], bytes]) -> Json:
        """Return what the journal records of a call: path, short parameters and two digests.

        `was` is missing if the file could not be read, `will_be` if the call will be refused.
        """
        params, current = self.fit(params), None
        texts = {name: params[name] for name in _TEXTS if _is_short(params.get(name))}
        recorded = {"path": params.get("path"), **texts}
        with suppress(*_REFUSED):
            current = self._read_current(params.get("path"))
            recorded[_WAS] = _digest(current)
        with suppress(*_REFUSED):
            recorded[_WILL_BE] = _digest(edit(params, current))
        return recorded

    def settle(self, params: Json) -> Settlement:
        """Compare the file with the digests in the journal; "unknown" if it equals neither."""
        path = params.get("path")
        if isinstance(path, str) and path.startswith(DIGEST):
            return "unknown"
        try:
            now = _digest(self._read_current(path))
        except _REFUSED as error:
            return "unknown" if is_unreadable(error) or _WAS in params else "not_done"
        if now == params.get(_WILL_BE):
            return "done"
        return "not_done" if now == params.get(_WAS) else "unknown"

    def _read_current(self, path: object) -> bytes | None:
        """Return the content of a file, None if it is missing; remove leftovers."""
        try:
            with self._files.open_parent(path, suggest=False) as file:
                self._files.remove_leftovers(file)
                return self._files.read(file, MAX_BYTES)
        except ToolFailed as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return None
            raise


def _digest(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_KEPT


class WriteFile(WriteTool):
    """Writes a text file of up to 1 MiB and creates missing directories."""

    name: ClassVar[str] = "write_file"
    description: ClassVar[str] = "Write a text file, replacing what it held."
    parameters: ClassVar[Json] = object_schema(
        "path",
        "content",
        path={"type": "string"},
        content={"type": "string", "description": "All that the file is to hold."},
    )

    async def run(self, params: Json) -> str:
        """Write the file; it is durable when this returns."""
        params = self.read(params)
        data = encode_content(params["content"])
        await call_to_end(partial(self._write, params["path"], data))
        return f"{len(data)} bytes written"

    def _write(self, path: object, data: bytes) -> None:
        with self._files.open_parent(path, create=True) as file:
            self._files.write(file, data)

    def journal_params(self, params: Json) -> Json:
        """Return the digests of the current and the new content."""
        return self._journal_params(params, lambda fitted, _: encode_content(fitted.get("content")))


def encode_content(content: object) -> bytes:
    """Return a text as bytes; refuse what is too long or no valid text."""
    if not isinstance(content, str):
        raise wrong_type_error("content", "str", content)
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        position = error.start
        raise InvalidArgument("lone_surrogate", argument="content", position=position) from error
    if len(data) > MAX_BYTES:
        raise ToolFailed("content_too_large", limit=MAX_BYTES, size=len(data))
    return data


class EditFile(WriteTool):
    """Replaces a unique text, or all occurrences, in a file of up to 1 MiB."""

    name: ClassVar[str] = "edit_file"
    description: ClassVar[str] = (
        "Replace text in a file. old must be there exactly once, unless replace_all is true."
    )
    parameters: ClassVar[Json] = object_schema(
        "path",
        "old",
        "new",
        path={"type": "string"},
        old={"type": "string", "description": "Exactly as in the file."},
        new={"type": "string"},
        replace_all={"type": "boolean"},
    )

    async def run(self, params: Json) -> str:
        """Apply the edit; it is durable when this returns."""
        params = self.read(params)
        edit = _Edit(params)
        await call_to_end(partial(self._update, params["path"], edit))
        return text("file_edited", count=edit.count)

    def _update(self, path: object, edit: _Edit) -> None:
        with self._files.open_parent(path) as file:
            self._files.update(file, MAX_BYTES, edit.apply)

    def journal_params(self, params: Json) -> Json:
        """Return the digests of the file before and after the edit."""
        return self._journal_params(params, lambda fitted, now: _Edit(fitted).apply(now or b""))


class _Edit:
    """One replacement; `count` is the number of occurrences."""

    def __init__(self, params: Json) -> None:
        self._path = params.get("path")
        self._old, self._new = _require_string(params, "old"), _require_string(params, "new")
        self._replace_all = check_flag(params.get("replace_all", False), "replace_all")
        self.count = 0
        if not self._old or self._old == self._new:
            raise ToolFailed("edit_changes_nothing")

    def apply(self, data: bytes) -> bytes:
        """Return the edited content."""
        try:
            content = data.decode()
        except UnicodeDecodeError as error:
            raise ToolFailed("file_not_text", path=self._path) from error
        self.count = content.count(self._old)
        if not self.count:
            raise ToolFailed("old_not_found", path=self._path)
        if self.count > 1 and not self._replace_all:
            raise ToolFailed("old_not_unique", path=self._path, count=self.count)
        return encode_content(content.replace(self._old, self._new))


def _require_string(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise wrong_type_error(name, "str", value)
    return value
