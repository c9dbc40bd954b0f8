"""X4: requests are measured as a whole, however much they share with the one before."""

import sys
from hashlib import sha256
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from outlast.agent.runtime.attempt_costs import RequestCursor
from outlast.context.chat_model import Call, Message, ToolSpec

TEXTS = st.text(max_size=8)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "tool"]),
    TEXTS,
    st.lists(st.builds(Call, st.just("poke"), st.dictionaries(TEXTS, TEXTS)), max_size=2).map(
        tuple
    ),
)
TOOLS = st.sampled_from([(), (ToolSpec("poke", "Poke it.", {"type": "object"}),)])


@st.composite
def conversations(draw: Any) -> list[tuple[tuple[Message, ...], tuple[ToolSpec, ...], int | None]]:
    """Return requests; most continue the one before, some are cut, changed or begin anew."""
    messages: tuple[Message, ...] = ()
    requests = []
    for _ in range(draw(st.integers(1, 8))):
        kept = draw(st.one_of(st.just(len(messages)), st.integers(0, len(messages))))
        messages = (*messages[:kept], *draw(st.lists(MESSAGES, max_size=3)))
        requests.append((messages, draw(TOOLS), draw(st.none() | st.integers(1, 500))))
    return requests


def size(*values: object) -> int:
    return sum(len(json.encode(value)) for value in values)


def naive_limit(
    messages: tuple[Message, ...],
    tools: tuple[ToolSpec, ...],
    counted: tuple[tuple[Message, ...], tuple[ToolSpec, ...], int] | None,
    shared: int,
) -> int:
    """Return the most tokens that a request can have, measured from scratch."""
    whole = size(*messages, *tools)
    if counted is None or counted[1] != tools:
        return whole
    return min(whole, counted[2] + size(*messages[shared:]))


@given(conversations())
def test_x4_the_cursor_measures_as_if_every_request_were_the_first(
    requests: list[tuple[tuple[Message, ...], tuple[ToolSpec, ...], int | None]],
) -> None:
    cursor = RequestCursor()
    before: tuple[Message, ...] = ()
    counted: Any = None
    shared = 0  # messages that all requests since the counted one have had
    for messages, tools, tokens in requests:
        same = next(
            (i for i, (a, b) in enumerate(zip(before, messages, strict=False)) if a != b),
            min(len(before), len(messages)),
        )
        shared = min(shared, same)
        if counted is not None and counted[1] != tools:
            counted = None
        measured = cursor.measure(messages, tools)
        assert measured == cursor.last
        assert measured.characters == sum(len(one.text) for one in messages) + size(*tools)
        assert measured.max_tokens == naive_limit(messages, tools, counted, shared)
        assert measured.digest == sha256(b"".join(map(json.encode, messages))).hexdigest()
        fresh = [one for one in messages[same:] if one not in before[same:]]
        assert list(measured.new) == fresh
        if tokens is not None:
            cursor.count(tokens)
            counted, shared = (messages, tools, tokens), len(messages)
        before = messages


def test_x4_a_message_is_measured_once_however_long_the_conversation_gets() -> None:
    cursor, calls = RequestCursor(), list[str]()
    messages: tuple[Message, ...] = ()
    costs: list[int] = []

    def count_calls(frame: Any, event: str, _arg: object) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    for number in range(200):
        messages = (*messages, Message("user", str(number)))
        sys.setprofile(count_calls)
        cursor.measure(messages, ())
        sys.setprofile(None)
        costs.append(len(calls))
    assert calls.count("extend") == 200
    assert costs[199] - costs[198] == costs[2] - costs[1], "the last costs as much as the first"
