"""The port of a preflight: find out before the first task whether an agent can work here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from outlast.ports.agent import WorkResult


class Preflight(Protocol):
    """A small order that shows whether an agent can work, at most a minute long."""

    async def is_needed(self) -> bool:
        """Return whether the agent has not shown yet today that it can work here."""

    async def run(self) -> WorkResult:
        """Let the agent carry out the order; `error` tells why it cannot work."""
