"""Plugins: objects that installed packages offer under the name of an entry point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint


def find_plugin(group: str, name: str, missing: Callable[[list[str]], Exception]) -> EntryPoint:
    """Find a plugin without importing it; raise `missing(known names)` if there is none."""
    from importlib.metadata import entry_points  # imported late: it is slow to load

    points = entry_points(group=group)
    if name not in points.names:
        raise missing(sorted(points.names))
    return points[name]


def instance_of(plugin: Any) -> Any:  # noqa: ANN401 - whatever a package offers
    """Return an instance of a class, and anything else as it is."""
    return plugin() if isinstance(plugin, type) else plugin
