"""`write_file`: let a model write a file of the workspace, all or nothing."""

from __future__ import annotations

from typing import Any, ClassVar

from outlast.adapters.tools.files.trace import LIMIT, trace
from outlast.adapters.tools.workspace_tool import Changing
from outlast.domain.limits import wrong_type
from outlast.errors import InvalidArgument, ToolFailed

Json = dict[str, Any]


class WriteFile(Changing):
    """Writes a text file of up to 1 MiB; the directories on its way are made."""

    name: ClassVar[str] = "write_file"
    description: ClassVar[str] = "Write a text file, replacing what it held."
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string", "description": "All that the file is to hold."},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    }

    async def run(self, params: Json) -> str:
        """Write the file; it is safe on the disk when this returns."""
        data = encoded(params.get("content"))
        with self._files.at(params.get("path"), make=True) as place:
            self._files.write(place, data)
        return f"{len(data)} bytes written"

    def trace(self, params: Json) -> Json:
        """Keep what the file holds, and what it is to hold."""
        return trace(
            self._files, params, ("content",), lambda _found: encoded(params.get("content"))
        )


def encoded(content: object) -> bytes:
    """Return the bytes of a text that is not too long."""
    if not isinstance(content, str):
        raise wrong_type("content", "string", content)
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        where = error.start
        raise InvalidArgument("lone_surrogate", argument="content", position=where) from error
    if len(data) > LIMIT:
        raise ToolFailed("content_too_large", limit=LIMIT, size=len(data))
    return data
