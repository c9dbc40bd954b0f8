"""`edit_file`: replace text in a file, atomically."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from outlast.agent.tools.files.settle import MAX_BYTES, journal_params
from outlast.agent.tools.files.workspace_tool import WriteTool
from outlast.agent.tools.files.write_file import encode_content
from outlast.errors import ToolFailed
from outlast.language import text
from outlast.model.limits import check_flag, wrong_type_error
from outlast.system.threads import call_to_end

Json = dict[str, Any]


class EditFile(WriteTool):
    """Replaces a unique text, or all occurrences, in a file of up to 1 MiB."""

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
        params = self.fit(params)
        return journal_params(
            self._files, params, ("old", "new"), lambda content: _Edit(params).apply(content or b"")
        )


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
