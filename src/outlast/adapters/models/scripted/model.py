"""A model that plays from a script, for tests and for trying things out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from outlast.adapters.models.scripted.references import filled, filled_text, has_reference
from outlast.adapters.models.scripted.word_count import counted
from outlast.adapters.models.tool_call_ids import results
from outlast.errors import ModelFailed
from outlast.ports.model import Call, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.ports.model import Message, Price, ToolSpec


class Turn(Struct, frozen=True):
    """What to answer when the conversation contains a text, or several; else whatever it contains.

    It must contain none of `unless`, the tool that was answered last must be `after_tool`, and the
    turn may stand in the conversation fewer than `times` times already. `{{read_file}}` in what is
    said or called is what that tool has said last.
    """

    when: str | tuple[str, ...] | None = None
    say: str = ""
    calls: tuple[Call, ...] = ()
    unless: str | tuple[str, ...] = ()
    after_tool: str = ""
    times: int | None = None


class ScriptedModel:
    """Answers with the first of its turns that fits what it is shown.

    It remembers nothing, so it goes on after a restart from what it sees. Its tokens are words.
    """

    def __init__(
        self, turns: Sequence[Turn], *, name: str = "scripted", price: Price | None = None
    ) -> None:
        """Take the turns, the most particular first."""
        self.turns = tuple(turns)
        self.name, self.price = name, price

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],  # noqa: ARG002 - the script knows its tools
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Play a turn."""
        reply = self._priced(counted(self._played(messages), messages, max_tokens))
        if on_text is not None:
            for line in reply.text.splitlines(keepends=True):
                on_text(line)
        return reply

    def _played(self, messages: Sequence[Message]) -> Reply:
        shown = "\n".join(message.text for message in messages)
        for turn in self.turns:
            if fits(turn, shown, messages):
                calls = (replace(one, params=filled(one.params, messages)) for one in turn.calls)
                return Reply(filled_text(turn.say, messages), tuple(calls))
        raise ModelFailed("script_exhausted", turns=len(self.turns))

    def _priced(self, reply: Reply) -> Reply:
        if self.price is None or reply.usage is None:
            return reply
        usage = reply.usage
        money = (usage.input * self.price.input + usage.output * self.price.output) / 1_000_000
        return replace(reply, usage=replace(usage, money=money))


def fits(turn: Turn, shown: str, messages: Sequence[Message]) -> bool:
    """Tell whether a turn is to be played in a conversation."""
    if not all(one in shown for one in _texts(turn.when or ())):
        return False
    if any(one in shown for one in _texts(turn.unless)):
        return False
    if turn.after_tool:
        answered = results(messages)
        if not answered or answered[-1][0].name != turn.after_tool:
            return False
    return turn.times is None or _played_before(turn, messages) < turn.times


def _texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _played_before(turn: Turn, messages: Sequence[Message]) -> int:
    names = [call.name for call in turn.calls]
    says_more = has_reference(turn.say)
    return sum(
        message.role == "assistant"
        and [call.name for call in message.calls] == names
        and (says_more or message.text == turn.say)
        for message in messages
    )
