"""A model that replies from a script, for tests and demos."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct, json
from msgspec.structs import replace

from outlast.agent.models.scripted.references import fill, fill_text, has_reference
from outlast.agent.models.tool_call_ids import tool_results
from outlast.context.chat_model import Call, Message, Price, Reply, ToolSpec, Usage
from outlast.errors import ModelFailed

# Words, punctuation marks and Chinese characters: never more than the text has bytes.
_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")


class Turn(Struct, frozen=True):
    """A reply, and the conversations it fits.

    It fits if the conversation contains every text of `when` and none of `unless`, the last tool
    result is of `after_tool`, and the turn was played fewer than `times` times. `{{read_file}}`
    in `say` or `calls` is replaced by the last result of that tool.
    """

    when: str | tuple[str, ...] | None = None
    say: str = ""
    calls: tuple[Call, ...] = ()
    unless: str | tuple[str, ...] = ()
    after_tool: str = ""
    times: int | None = None


class ScriptedModel:
    """Replies with the first turn that fits the conversation.

    It keeps no state, so it continues after a restart. It counts words as tokens.
    """

    def __init__(
        self, turns: Sequence[Turn], *, name: str = "scripted", price: Price | None = None
    ) -> None:
        """Take the turns, the most specific first."""
        self.turns = tuple(turns)
        self.name, self.price = name, price

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],  # noqa: ARG002 - the script names its tools
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Play the first turn that fits, or raise `ModelFailed`."""
        reply = self._add_price(count_usage(self._play(messages), messages, max_tokens))
        if on_text is not None:
            for line in reply.text.splitlines(keepends=True):
                on_text(line)
        return reply

    def _play(self, messages: Sequence[Message]) -> Reply:
        shown = "\n".join(message.text for message in messages)
        for turn in self.turns:
            if is_match(turn, shown, messages):
                calls = (replace(call, params=fill(call.params, messages)) for call in turn.calls)
                return Reply(fill_text(turn.say, messages), tuple(calls))
        raise ModelFailed("script_exhausted", turns=len(self.turns))

    def _add_price(self, reply: Reply) -> Reply:
        if self.price is None or reply.usage is None:
            return reply
        usage = replace(reply.usage, money=self.price.cost(reply.usage))
        return replace(reply, usage=usage)


def is_match(turn: Turn, shown: str, messages: Sequence[Message]) -> bool:
    """Return whether a turn fits a conversation whose texts are `shown`."""
    if not all(part in shown for part in as_tuple(turn.when or ())):
        return False
    if any(part in shown for part in as_tuple(turn.unless)):
        return False
    if turn.after_tool:
        answered = tool_results(messages)
        if not answered or answered[-1][0].name != turn.after_tool:
            return False
    return turn.times is None or _count_plays(turn, messages) < turn.times


def as_tuple(value: str | Sequence[str]) -> tuple[str, ...]:
    """Return one text or several as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value)


def _count_plays(turn: Turn, messages: Sequence[Message]) -> int:
    names = [call.name for call in turn.calls]
    has_references = has_reference(turn.say)
    return sum(
        message.role == "assistant"
        and [call.name for call in message.calls] == names
        and (has_references or message.text == turn.say)
        for message in messages
    )


def count_usage(reply: Reply, messages: Sequence[Message], max_tokens: int | None) -> Reply:
    """Add the usage to a reply, and truncate the reply to `max_tokens`."""
    text, calls = reply.text, reply.calls
    if max_tokens is not None and _count_words(text) + _count_call_words(calls) > max_tokens:
        text, calls = _cut_words(text, max_tokens), ()
    input_tokens = sum(
        _count_words(message.text) + _count_call_words(message.calls) for message in messages
    )
    return Reply(text, calls, Usage(input_tokens, _count_words(text) + _count_call_words(calls)))


def _count_words(text: str) -> int:
    return sum(1 for _ in _WORD.finditer(text))


def _count_call_words(calls: Iterable[Call]) -> int:
    return sum(_count_words(f"{call.name} {json.encode(call.params).decode()}") for call in calls)


def _cut_words(text: str, words: int) -> str:
    for number, match in enumerate(_WORD.finditer(text)):
        if number == words:
            return text[: match.start()]
    return text
