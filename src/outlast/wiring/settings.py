"""The settings that hold in a directory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from outlast.config.load import load
from outlast.system.workspace_root import new_home
from outlast.wiring.workspaces import project_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.config.load import Loaded


def settings_in(
    start: str,
    environment: Mapping[str, str] = os.environ,
    arguments: Mapping[str, object] | None = None,
) -> Loaded:
    """Load the settings of the workspace that a directory belongs to, or would belong to."""
    project = project_of(start)
    return load(new_home(start) if project is None else project.root, environment, arguments)
