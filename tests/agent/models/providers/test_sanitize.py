"""What a server sends is sanitized before it is kept."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.agent.models.providers.sanitize import (
    KeyFilter,
    clean_params,
    clean_text,
    describe_problem,
)
from outlast.errors import ModelFailed

KEY = "sk-canary-0123456789abcdef"


@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_any_text_can_be_written_afterwards(text: str) -> None:
    cleaned = clean_text(text, KEY)
    cleaned.encode()
    if all(not 0xD800 <= ord(c) <= 0xDFFF for c in text):
        assert cleaned == text


@given(
    text=st.lists(st.sampled_from((KEY, KEY[:9], "sk", "s", " and ")), max_size=6).map("".join),
    size=st.integers(1, 30),
)
def test_a5_the_key_is_removed_from_streamed_pieces(text: str, size: int) -> None:
    told: list[str] = []
    pieces = KeyFilter(KEY, told.append)
    for at in range(0, len(text), size):
        pieces.add(text[at : at + size])
    pieces.flush()
    assert "".join(told) == text.replace(KEY, "[redacted]")


def test_without_a_key_every_piece_is_emitted_at_once() -> None:
    told: list[str] = []
    pieces = KeyFilter("", told.append)
    pieces.add("a")
    assert told == ["a"]
    pieces.flush()
    assert told == ["a"]


def test_two_surrogate_halves_are_one_character() -> None:
    assert clean_text("\ud83d\ude00", "") == "😀"


@pytest.mark.parametrize(
    "given",
    [
        {"a": float("nan")},
        {"a": [1, float("-inf")]},
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a"',
        "[1]",
        "null",
        7,
        [1],
        {"a": object()},
        '{"a": ' * 100_000,
    ],
)
def test_f13_invalid_arguments_are_recognized(given: Any) -> None:
    assert clean_params(given, KEY) is None


@pytest.mark.parametrize("given", [None, "", {}, "{}"])
def test_no_parameters_are_an_empty_object(given: Any) -> None:
    assert clean_params(given, KEY) == {}


def test_a5_problems_are_short_and_without_secrets() -> None:
    said = {"error": {"message": f"no: {KEY} password=hunter22 \x1b[31m" + "x" * 9_000}}
    words = describe_problem(said, KEY)
    assert len(words) <= 300
    assert "canary" not in words
    assert "hunter22" not in words
    assert words.isprintable()


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ModelFailed):
        clean_text(42, KEY)
