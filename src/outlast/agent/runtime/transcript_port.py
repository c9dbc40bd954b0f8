"""The transcript port: the exact exchange between a loop, its model and its tools."""

from __future__ import annotations

from typing import Any, Protocol


class Transcript(Protocol):
    """Appends entries and reads the last ones back; the plan does not depend on them."""

    def add(self, entry: dict[str, Any]) -> None:
        """Append an entry, redacted and truncated; log a failure and never raise it."""

    def tail(self) -> list[dict[str, Any]]:
        """Return the last entries, oldest first, as far as they can be read."""
