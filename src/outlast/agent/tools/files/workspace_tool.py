"""The base of the tools that work in one workspace: how they describe and read parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from outlast.agent.tools.files.directory import Directory
from outlast.documents.contracts.fit import fit
from outlast.documents.contracts.problems import Problems
from outlast.errors import ToolFailed
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from outlast.context.tool import Level, PermissionRequest

Json = dict[str, Any]


def object_schema(*required: str, **properties: Json) -> Json:
    """Return the JSON Schema of an object that has these properties and no others."""
    needed = {"required": [*required]} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


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
