"""`read_file`: show a model what a file of the workspace says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from outlast.adapters.tools.directory import Directory
from outlast.errors import ToolFailed
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from outlast.ports.tool import Settlement

LIMIT: Final = 256 * 1024
Json = dict[str, Any]


class ReadFile:
    """Reads a text file of up to 256 KiB."""

    name: ClassVar[str] = "read_file"
    description: ClassVar[str] = "Read a text file of the workspace."
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Path of the file within the workspace."}
        },
        "required": ["path"],
        "additionalProperties": False,
    }

    def __init__(self, workspace: str, disk: Disk | None = None) -> None:
        """Read below a directory."""
        self._files = Directory(workspace, disk or Disk())

    async def run(self, params: Json) -> str:
        """Return the text of a file."""
        with self._files.at(params.get("path")) as place:
            data = self._files.read(place, LIMIT)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise ToolFailed("file_not_text", path=params["path"]) from error

    def settle(self, params: Json) -> Settlement:  # noqa: ARG002 - the same for every file
        """Say that it may be repeated: reading leaves nothing behind."""
        return "not_done"
