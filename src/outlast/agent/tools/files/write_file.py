"""`write_file`: write a file of the workspace, atomically."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from outlast.agent.tools.files.settle import MAX_BYTES, journal_params
from outlast.agent.tools.files.workspace_tool import WriteTool
from outlast.errors import InvalidArgument, ToolFailed
from outlast.model.limits import wrong_type_error
from outlast.system.threads import call_to_end

Json = dict[str, Any]


class WriteFile(WriteTool):
    """Writes a text file of up to 1 MiB and creates missing directories."""

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
        params = self.fit(params)
        return journal_params(
            self._files,
            params,
            ("content",),
            lambda _content: encode_content(params.get("content")),
        )


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
