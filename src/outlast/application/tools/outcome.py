"""What comes of a call of the plan's tools."""

from __future__ import annotations

from msgspec import Struct

from outlast.ports.events import Todo


class Outcome(Struct, frozen=True):
    """What the model is told; `code` says why it was refused, if it was.

    `todos` is the list that the model keeps for itself, where the call has set it.
    """

    text: str
    code: str = ""
    todos: tuple[Todo, ...] | None = None

    @property
    def failed(self) -> bool:
        """Whether it was refused."""
        return bool(self.code)
