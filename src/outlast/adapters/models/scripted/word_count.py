"""Counting words, where there is no tokenizer and none is needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import json

from outlast.ports.model import Reply, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outlast.ports.model import Call, Message

# Words, signs and Chinese characters: never more than the text has bytes.
_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")


def counted(reply: Reply, messages: Sequence[Message], max_tokens: int | None) -> Reply:
    """Return a reply with what it cost; what goes beyond the tokens it may have is cut off."""
    text, calls = reply.text, reply.calls
    if max_tokens is not None and _words(text) + _in_calls(calls) > max_tokens:
        text, calls = _cut(text, max_tokens), ()
    seen = sum(_words(one.text) + _in_calls(one.calls) for one in messages)
    return Reply(text, calls, Usage(seen, _words(text) + _in_calls(calls)))


def _words(text: str) -> int:
    return sum(1 for _ in _WORD.finditer(text))


def _in_calls(calls: Iterable[Call]) -> int:
    return sum(_words(f"{one.name} {json.encode(one.params).decode()}") for one in calls)


def _cut(text: str, words: int) -> str:
    for number, match in enumerate(_WORD.finditer(text)):
        if number == words:
            return text[: match.start()]
    return text
