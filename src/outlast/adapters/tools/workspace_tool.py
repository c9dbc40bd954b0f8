"""What the tools that work below one directory have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from outlast.adapters.tools.files.directory import Directory
from outlast.adapters.tools.files.trace import settled
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from outlast.ports.tool import Concern, Level, Settlement

Json = dict[str, Any]


class Placed:
    """A tool for what `path` leads to; `absent` is where it works without one, if it can."""

    absent: ClassVar[str | None] = None

    def __init__(self, workspace: str, disk: Disk | None = None, *, outside: bool = False) -> None:
        """Work below a directory; with `outside` also elsewhere, for which a person is asked."""
        self._files = Directory(workspace, disk or Disk(), outside=outside)

    def concern(self, params: Json) -> Concern | None:
        """Ask for what is outside."""
        return self._files.concern(params.get("path", self.absent))


class Looking(Placed):
    """A tool that only looks."""

    level: ClassVar[Level] = "read"

    def settle(self, params: Json) -> Settlement:  # noqa: ARG002 - the same for all
        """Say that it may be repeated: looking leaves nothing behind."""
        return "not_done"


class Changing(Placed):
    """A tool that changes a file and has left a trace of what it was going to do."""

    level: ClassVar[Level] = "write"

    def settle(self, params: Json) -> Settlement:
        """Look whether the file is as it was to be, or still as it was before."""
        return settled(self._files, params)
