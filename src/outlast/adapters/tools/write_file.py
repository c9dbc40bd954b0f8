"""`write_file`: let a model write a file of the workspace, all or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from outlast.adapters.tools.directory import Directory
from outlast.domain.limits import wrong_type
from outlast.errors import InvalidArgument, ToolFailed
from outlast.ports.tool import DIGEST, is_kept
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from outlast.ports.tool import Settlement

LIMIT: Final = 1024 * 1024
_NOT_THERE: Final = (FileNotFoundError, NotADirectoryError)
Json = dict[str, Any]


class WriteFile:
    """Writes a text file of up to 1 MiB; the directories on its way are made."""

    name: ClassVar[str] = "write_file"
    description: ClassVar[str] = "Write a text file of the workspace, replacing what it held."
    parameters: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Path of the file within the workspace."},
            "content": {"type": "string", "description": "All that the file is to hold."},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    }

    def __init__(self, workspace: str, disk: Disk | None = None) -> None:
        """Write below a directory."""
        self._files = Directory(workspace, disk or Disk())

    async def run(self, params: Json) -> str:
        """Write the file; it is safe on the disk when this returns."""
        data = _encoded(params.get("content"))
        with self._files.at(params.get("path"), make=True) as place:
            self._files.write(place, data)
        return f"{len(data)} bytes written"

    def settle(self, params: Json) -> Settlement:
        """Look whether the file holds what it was to hold."""
        path, content = params.get("path"), params.get("content")
        if not isinstance(path, str) or not isinstance(content, str):
            return "not_done"  # it was refused, or would have been
        return "unknown" if path.startswith(DIGEST) else self._compare(path, content)

    def _compare(self, path: str, content: str) -> Settlement:
        try:
            with self._files.at(path) as place:
                self._files.sweep(place)
                text = self._files.read(place, LIMIT).decode()
        except UnicodeDecodeError:
            return "not_done"
        except (ToolFailed, InvalidArgument) as error:
            cause = error.__cause__
            unseen = isinstance(cause, OSError) and not isinstance(cause, _NOT_THERE)
            return "unknown" if unseen else "not_done"
        return "done" if is_kept(content, text) else "not_done"


def _encoded(content: object) -> bytes:
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
