"""Names of files as a model is shown them: one line each, whatever is in them."""

from __future__ import annotations

from outlast.texts import visible


def shown(name: str) -> str:
    """Return a name without control characters, and without bytes that are no text."""
    return visible(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def shown_line(line: str) -> str:
    """Return a line of a file likewise, with its tabs."""
    return "\t".join(map(shown, line.split("\t")))
