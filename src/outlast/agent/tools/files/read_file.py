"""`read_file`: read a text file of the workspace."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Final

from outlast.agent.tools.files.workspace_tool import ReadTool
from outlast.errors import ToolFailed
from outlast.model.limits import LARGEST_ID, check_number
from outlast.system.threads import call_to_end

MAX_SHOWN: Final = 256 * 1024
MAX_FILE_BYTES: Final = 16 * 1024 * 1024
Json = dict[str, Any]


class ReadFile(ReadTool):
    """Returns up to 256 KiB: a whole file, or some lines of a file of up to 16 MiB."""

    name: ClassVar[str] = "read_file"
    description: ClassVar[str] = "Read a text file, or some of its lines."
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer", "minimum": 1, "description": "First line; 1 if absent."},
            "limit": {"type": "integer", "minimum": 1, "description": "How many lines."},
        },
        "required": ["path"],
        "additionalProperties": False,
    }

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
