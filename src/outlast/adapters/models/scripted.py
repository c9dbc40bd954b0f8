"""A model that plays from a script, for tests and for trying things out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from outlast.errors import ModelFailed
from outlast.ports.model import Call, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.ports.model import Message, ToolSpec


class Turn(Struct, frozen=True):
    """What to answer when the conversation contains a text; without one, whatever it contains."""

    when: str | None = None
    say: str = ""
    calls: tuple[Call, ...] = ()


class ScriptedModel:
    """Answers with the first of its turns that fits what it is shown.

    It remembers nothing, so it goes on after a restart from what it sees.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        """Take the turns, the most particular first."""
        self.turns = tuple(turns)

    async def think(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:  # noqa: ARG002 - the script knows its tools
        """Play a turn."""
        shown = "\n".join(message.text for message in messages)
        for turn in self.turns:
            if turn.when is None or turn.when in shown:
                return Reply(turn.say, turn.calls)
        raise ModelFailed("script_exhausted", turns=len(self.turns))
