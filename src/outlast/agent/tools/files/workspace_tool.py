"""Base classes of the tools that work in one workspace: how they read their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from outlast.agent.tools.files.directory import Directory
from outlast.agent.tools.files.settle import settle_change
from outlast.documents.contracts.fit import fit
from outlast.documents.contracts.problems import Problems
from outlast.errors import ToolFailed
from outlast.language import visible
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from outlast.context.tool import Level, PermissionRequest, Settlement

Json = dict[str, Any]


class WorkspaceTool:
    """A tool with a `path` parameter; `default_path` is used without one."""

    parameters: ClassVar[Json]
    level: ClassVar[Level]
    default_path: ClassVar[str | None] = None

    def __init__(
        self, workspace: str, disk: Disk | None = None, *, allow_outside: bool = False
    ) -> None:
        """Take the workspace; `allow_outside` also permits other paths, after a question."""
        self._files = Directory(workspace, disk or Disk(), allow_outside=allow_outside)

    def permission_request(self, params: Json) -> PermissionRequest | None:
        """Return a request if the path is outside the workspace."""
        path = self.fit(params).get("path", self.default_path)
        return self._files.permission_request(path, views=self.level == "read")

    def fit(self, params: Json) -> Json:
        """Return parameters in the form that the schema wants, as far as they can be."""
        fitted: Json = fit(params, self.parameters, "drop")[0]
        return fitted

    def read(self, params: Json) -> Json:
        """Return parameters that fit the schema; raise `ToolFailed` with every problem."""
        fitted: Json
        fitted, problems = fit(params, self.parameters, "drop")
        if problems:
            raise ToolFailed("tool_params", problems=Problems(tuple(problems)))
        return fitted


class ReadTool(WorkspaceTool):
    """A tool that only reads."""

    level: ClassVar[Level] = "read"

    def settle(self, params: Json) -> Settlement:  # noqa: ARG002 - the same for every call
        """Return "not_done": reading has no effects and may be repeated."""
        return "not_done"


class WriteTool(WorkspaceTool):
    """A tool that changes a file; the journal has digests from before and after."""

    level: ClassVar[Level] = "write"

    def settle(self, params: Json) -> Settlement:
        """Compare the file with the digests in the journal."""
        return settle_change(self._files, params)


def display_name(name: str) -> str:
    """Return a file name on one line, with control characters and invalid bytes escaped."""
    return visible(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def display_line(line: str) -> str:
    """Return a line of a file the same way, but keep its tabs."""
    return "\t".join(map(display_name, line.split("\t")))
