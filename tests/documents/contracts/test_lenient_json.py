"""F13: JSON as models write it is read; its values are never guessed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.documents.contracts.lenient_json import MAX_CHARACTERS, MAX_DEPTH, find_json, read_json
from outlast.documents.contracts.problems import BrokenText

WORDS = st.text(max_size=12)
LEAVES = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | WORDS
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    LEAVES | NUMBERS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
CONTAINERS = st.lists(VALUES, max_size=4) | st.dictionaries(WORDS, VALUES, max_size=4)
PLAIN = st.dictionaries(
    st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True),
    st.none() | st.booleans() | st.integers(-99, 99) | st.text("abc ,:{}[]#/", max_size=9),
    min_size=1,
    max_size=4,
)

REPAIRED = {
    "trailing commas": ('{"a": [1, 2,], "b": 3,}', {"a": [1, 2], "b": 3}),
    "single quotes": ("{'a': 'it's \\'so\\''}", {"a": "it's 'so'"}),
    "keys without quotes": ("{a: 1, b-c: 2, 名: 3}", {"a": 1, "b-c": 2, "名": 3}),
    "typographic quotes": (
        "{\u201ca\u201d: \u201cb\u201d, \u2018c\u2019: \u2018it\u2019s\u2019}",
        {"a": "b", "c": "it\u2019s"},
    ),
    "triple quotes": ('{"a": """say "hi"\nnow"""}', {"a": 'say "hi"\nnow'}),
    "Python words": ("[True, False, None]", [True, False, None]),
    "comments": ('{"a": 1, // one\n # two\n /* three */ "b": 2}', {"a": 1, "b": 2}),
    "raw line breaks": ('{"a": "x\ny\tz"}', {"a": "x\ny\tz"}),
    "brackets missing at the end": ('{"a": [1, {"b": 2', {"a": [1, {"b": 2}]}),
    "a comma at the end of a fence": ('{"a": 1,\n```', {"a": 1}),
    "an inner bracket missing": ('{"a": [{"b": 1}}', {"a": [{"b": 1}]}),
    "an inner brace missing": ('[{"a": 1]', [{"a": 1}]),
    "the end of a fence": ('{"a": 1\n```\nThat is it', {"a": 1}),
    "the end of a tag": ('{"a": [1</tool_call>', {"a": [1]}),
    "a line for a comma": ('{"a": 1\n"b": [1\n2]}', {"a": 1, "b": [1, 2]}),
    "escapes that JSON lacks": (r'{"a": "\d+\.\n\/\'"}', {"a": "\\d+\\.\n/'"}),
    "surrogates": ('{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
    "surrogates, repaired": ("{'a': '\\ud83d\\ude00',}", {"a": "\U0001f600"}),
    "full-width punctuation": ('{"a"\uff1a 1\uff0c "b": 2}', {"a": 1, "b": 2}),
    "numbers": ("[0, -1, 1.5, 2e3, -0.5E-1,]", [0, -1, 1.5, 2e3, -0.05]),
    "nothing": ("{}", {}),
}
REFUSED = {
    "a key twice": ('{"a": 1, "a": 2}', "line 1: the key a occurs twice"),
    "a key twice, deeper": ('{"x": [{"a": 1,\n"a": 2}]}', "x[0]: line 2: the key a occurs twice"),
    "NaN": ('{"a": NaN}', "a: line 1: not a finite number"),
    "minus infinity": ("[-Infinity]", "[0]: line 1: not a finite number"),
    "too large": ("[1e999]", "[0]: line 1: not a finite number"),
    "too many digits": ("[" + "9" * 5_000 + ",]", "[0]: line 1: not a finite number"),
    "a torn string": ('{"a": "b', "a: line 1: a text without its closing quote"),
    "a bare value": ('{"a": yes}', "a: line 1: a text must stand in double quotes"),
    "an odd number": ("[007]", "[0]: line 1: a text must stand in double quotes"),
    "no value": ('{"a": }', "a: line 1: a value is missing"),
    "no value at the end": ('{"a":', "a: line 1: a value is missing"),
    "a comma at the end": ('{"a": 1, ', "line 1: a value is missing"),
    "no colon": ('{"a" 1}', "a: line 1: expected :"),
    "no key": ("{: 1}", 'line 1: expected "'),
    "no comma": ('{"a": "say "hi""}', "line 1: expected , }"),
    "more after a missing bracket": ('{"a": [1}, "b": 2}', "line 1: expected ] }"),
    "a lone surrogate": ('{"a": "\\ud83d"}', "a: line 1: half of a surrogate pair"),
    "too deep": ("[" * 99, f"line 1: nested more than {MAX_DEPTH} levels deep"),
    "too deep, complete": ("[" * 99 + "]" * 99, "line 1: nested more than"),
    "too deep for any reader": ('{"a":' * 100_000, "line 1: nested more than"),
    "too long": ("[" + " " * MAX_CHARACTERS + "]", "longer than 1,048,576 characters"),
}


def problem(text: str) -> str:
    with pytest.raises(BrokenText) as caught:
        read_json(text)
    assert caught.value.problem.explain("zh") != caught.value.problem.explain()
    return caught.value.problem.explain()


@pytest.mark.parametrize("name", REPAIRED)
def test_f13_a_broken_form_is_repaired(name: str) -> None:
    text, value = REPAIRED[name]
    assert read_json(text)[0] == value


@pytest.mark.parametrize("name", REFUSED)
def test_f13_what_would_have_to_be_guessed_is_refused_with_its_place(name: str) -> None:
    text, said = REFUSED[name]
    assert problem(text).startswith(said)


@given(CONTAINERS)
def test_json_is_read_as_it_is(value: Any) -> None:
    text = json.dumps(value)
    assert read_json(text) == (value, len(text))
    assert read_json(json.dumps(value, indent=1, ensure_ascii=False))[0] == value


@given(CONTAINERS)
def test_every_repair_keeps_the_value(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    assert read_json(re.sub(r"\n *([}\]])", r",\n\1", text))[0] == value  # trailing commas
    assert read_json(text.rstrip("}] \n") if value else text)[0] == value or not text.isascii()


@given(PLAIN)
def test_python_is_read_like_json(value: Any) -> None:
    assert read_json(repr(value))[0] == value


@given(st.text("{}[]\"',:#/\\ \nabnullTrue1.e-`<\u201c\u201d\u2019", max_size=60))
def test_f13_anything_is_read_or_refused(text: str) -> None:
    for candidate in find_json(text):
        assert candidate.start < candidate.end <= len(text)
        if candidate.problem is None:
            json.dumps(candidate.value, allow_nan=False).encode()


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [' * 100_000,
        "{\n" * 400_000,
        "[1\n" * 300_000,
        "{'a': '" + "' x" * 300_000,
        '{"a": "\\' * 100_000,
        '{"a": }\n' * 300,
        "[1 /*\n" * 170_000,
        "['a\n" * 250_000,
        "/*" * 400_000,
        "{" + "/*" * 400_000,
        '{"a": 1, "b": oops}\n' * 40_000,
        "{\u2018a\u2019: " * 100_000,
        "[ " * 1_000_000 + "x" * 100_000_000,
    ],
)
def test_f13_hostile_text_takes_bounded_work(text: str) -> None:
    assert all(candidate.problem for candidate in find_json(text))


def test_f13_no_value_is_taken_out_of_a_broken_one() -> None:
    broken = '{"name": oops, "tasks": [{"name": "a"}]} {"b": 1}'
    assert [(one.value, one.problem is None) for one in find_json(broken)] == [
        (None, False),
        ({"b": 1}, True),
    ]
    torn = 'See [1, {"a": 2\n  {"b": 3}\n{"c": 4}'
    assert [one.value for one in find_json(torn) if one.problem is None] == [{"c": 4}]


def test_thoughts_are_not_searched() -> None:
    text = '<think>maybe {"a": 1}</think>{"a": 2}'
    assert [one.value for one in find_json(text)] == [{"a": 2}]
