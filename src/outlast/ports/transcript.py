"""What was said between a loop, its model and its tools, word for word."""

from __future__ import annotations

from typing import Any, Protocol


class Transcript(Protocol):
    """Keeps entries, oldest first; the plan does not depend on them."""

    def add(self, entry: dict[str, Any]) -> None:
        """Keep an entry, without secrets and cut; what fails is logged and never raised."""
