"""Load the settings of a directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.config.load import load
from outlast.plan.home.find import project_root

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.config.load import Loaded


def load_settings(
    start: str,
    environment: Mapping[str, str] | None = None,
    arguments: Mapping[str, object] | None = None,
    remembered: Mapping[str, tuple[object, bool]] | None = None,
) -> Loaded:
    """Load the settings of the workspace that a directory belongs to, or would belong to."""
    return load(project_root(start), environment, arguments, remembered)
