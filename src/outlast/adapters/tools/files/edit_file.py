"""`edit_file`: let a model replace a piece of a file, all or nothing."""

from __future__ import annotations

from typing import Any, ClassVar

from outlast.adapters.tools.files.trace import LIMIT, trace
from outlast.adapters.tools.files.write_file import encoded
from outlast.adapters.tools.workspace_tool import Changing
from outlast.domain.limits import check_flag, wrong_type
from outlast.errors import ToolFailed
from outlast.texts import text

Json = dict[str, Any]


class EditFile(Changing):
    """Replaces text in a file of up to 1 MiB: a piece that is there once, or all that are alike."""

    name: ClassVar[str] = "edit_file"
    description: ClassVar[str] = (
        "Replace text in a file. old must be there exactly once, unless replace_all is true."
    )
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "old": {"type": "string", "description": "Exactly as in the file."},
            "new": {"type": "string"},
            "replace_all": {"type": "boolean"},
        },
        "required": ["path", "old", "new"],
        "additionalProperties": False,
    }

    async def run(self, params: Json) -> str:
        """Make the change; it is safe on the disk when this returns."""
        edit = _Edit(params)
        with self._files.at(params.get("path")) as place:
            self._files.change(place, LIMIT, edit.made)
        return text("file_edited", count=edit.count)

    def trace(self, params: Json) -> Json:
        """Keep what the file holds, and what the edit makes of it."""
        return trace(
            self._files, params, ("old", "new"), lambda found: _Edit(params).made(found or b"")
        )


class _Edit:
    """One replacement."""

    def __init__(self, params: Json) -> None:
        self._path = params.get("path")
        self._old, self._new = _string(params, "old"), _string(params, "new")
        self._every = check_flag(params.get("replace_all", False), "replace_all")
        self.count = 0
        if not self._old or self._old == self._new:
            raise ToolFailed("edit_changes_nothing")

    def made(self, data: bytes) -> bytes:
        """Return what a file holds after it."""
        try:
            found = data.decode()
        except UnicodeDecodeError as error:
            raise ToolFailed("file_not_text", path=self._path) from error
        self.count = found.count(self._old)
        if not self.count:
            raise ToolFailed("old_not_found", path=self._path)
        if self.count > 1 and not self._every:
            raise ToolFailed("old_not_unique", path=self._path, count=self.count)
        return encoded(found.replace(self._old, self._new))


def _string(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise wrong_type(name, "string", value)
    return value
