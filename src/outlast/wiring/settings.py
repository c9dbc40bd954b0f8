"""Load the settings of a directory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from outlast.config.load import load
from outlast.system.workspace_root import default_workspace_root
from outlast.wiring.workspaces import find_workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.config.load import Loaded


def load_settings(
    start: str,
    environment: Mapping[str, str] = os.environ,
    arguments: Mapping[str, object] | None = None,
) -> Loaded:
    """Load the settings of the workspace that a directory belongs to, or would belong to."""
    project = find_workspace(start)
    return load(
        default_workspace_root(start) if project is None else project.root, environment, arguments
    )
