"""Data is fitted to a schema with good will; what is left over is listed with an example."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.documents.contracts.fit import KEEPS_EMPTY, fit
from outlast.documents.contracts.lenient_json import read_object
from outlast.documents.contracts.problems import BrokenText

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
A1 = {"a": 1}
LIST = {"type": "array", "items": INTEGER}
FIELDS = {
    "type": "object",
    "properties": {
        "path": STRING,
        "count": INTEGER | {"minimum": 1},
        "mode": {"enum": ["a", 1, None]},
        "kind": {"anyOf": [{"enum": ["x"]}, {"const": 7}, True]},
        "size": {"type": "number"},
        "list": LIST,
        "map": {"type": "object", "additionalProperties": INTEGER},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def problems(value: Any, schema: dict[str, Any] = FIELDS) -> list[str]:
    return [problem.explain() for problem in fit(value, schema)[1]]


FITTED: list[tuple[Any, Any, Any]] = [
    (STRING, 3, "3"),
    (INTEGER, " 3 ", 3),
    (INTEGER, 3.0, 3),
    ({"type": "number"}, "2.5", 2.5),
    ({"type": "number"}, " 1e3", 1000.0),
    ({"type": "boolean"}, "TRUE", True),
    ({"type": "boolean"}, "false", False),
    ({"type": ["integer", "string"]}, "3", "3"),
    ({"enum": ["in_progress"]}, "In Progress", "in_progress"),
    ({"enum": [1, 2]}, "2", 2),
    ({"const": "a"}, "a", "a"),
    (LIST, 3, [3]),
    (LIST, "3", [3]),
    (LIST, "[1, '2',]", [1, 2]),
    (LIST, "", []),
    ({"type": "object"}, "{'a': 1}", {"a": 1}),
    ({"anyOf": [LIST, {"type": "null"}]}, "4", [4]),
    ({}, {"a": None}, {"a": None}),
    ({"type": "null"}, "  ", None),
    ({"type": "null"}, {}, None),
    ({"properties": {"a": INTEGER}}, {"a": "1", "b": 2}, {"a": 1}),
]


@pytest.mark.parametrize(("schema", "value", "fitted"), FITTED, ids=range(len(FITTED)))
def test_what_says_the_same_is_accepted(schema: dict[str, Any], value: Any, fitted: Any) -> None:
    assert fit(value, schema) == (fitted, [])


REFUSED: list[tuple[Any, Any, str]] = [
    (STRING, True, 'expected string, got boolean; send "\u2026"'),
    (STRING, 1.5, 'expected string, got number; send "\u2026"'),
    (INTEGER, "1_000", "expected integer, got string; send 3"),
    (INTEGER, "9" * 500, "expected integer, got string; send 3"),
    (INTEGER, True, "expected integer, got boolean; send 3"),
    ({"type": "number"}, "NaN", "expected number, got string; send 1.5"),
    ({"type": "number"}, "1.5 m", "expected number, got string; send 1.5"),
    ({"type": "boolean"}, "yes", "expected boolean, got string; send true"),
    (LIST, "x", "expected array, got string; send [\u2026]"),
    (LIST, "[oops", "expected array, got string; send [\u2026]"),
    ({"type": "object"}, '{"a": 1', "expected object, got string; send {\u2026}"),
    ({"type": "object"}, "{a", "expected object, got string; send {\u2026}"),
    ({"enum": ["a", "A"]}, "\u00e5", 'expected one of "a", "A"'),
    ({"enum": ["a", "A"]}, 1.5, 'expected one of "a", "A"'),
    ({"anyOf": [INTEGER, LIST]}, "x", "expected integer, array, got string; send 3"),
    ({"anyOf": [{"enum": ["x"]}, {"const": 7}]}, "y", 'expected one of "x"'),
    ({"type": "null"}, "x", "must be empty here; send null"),
    ({"type": "null"}, {"tool": "x"}, "must be empty here; send null"),
]


@pytest.mark.parametrize(("schema", "value", "said"), REFUSED, ids=range(len(REFUSED)))
def test_nothing_is_guessed(schema: dict[str, Any], value: Any, said: str) -> None:
    fitted, found = fit(value, schema)
    assert fitted == value
    assert [problem.explain() for problem in found] == [said]


def test_every_problem_is_listed_with_its_path_and_an_example() -> None:
    assert problems({"count": "many", "mode": "b", "kind": [], "list": [1, "x"], "other": 1}) == [
        'path: missing; send "\u2026"',
        "count: expected integer, got string; send 3",
        'mode: expected one of "a", 1, null',
        "list[1]: expected integer, got string; send 3",
        "other: unknown; expected path, count, mode, kind, size, list, map",
    ]
    assert problems({"path": None, "map": {"a": "x"}}) == [
        'path: missing; send "\u2026"',
        "map.a: expected integer, got string; send 3",
    ]
    assert problems({}, {"required": ["a"], "properties": {"a": {"enum": ["x"]}}}) == [
        'a: missing; send "x"'
    ]
    assert problems({}, {"required": ["a"], "properties": {"a": {"anyOf": [LIST, True]}}}) == [
        "a: missing; send [\u2026]"
    ]
    assert problems({}, {"required": ["a"], "properties": {}}) == ['a: missing; send "\u2026"']


def test_a_wrong_name_for_a_missing_field_is_reported_though_unknown_ones_are_dropped() -> None:
    schema = {"properties": {"path": STRING, "limit": INTEGER}, "required": ["path"]}
    assert fit({"file": "a", "path": "b"}, schema, "drop") == ({"path": "b"}, [])
    fitted, found = fit({"file": "a", "nothing": ""}, schema, "drop")
    assert fitted == {}
    assert [problem.explain() for problem in found] == [
        'path: missing; send "\u2026"',
        "file: unknown; expected path, limit",
    ]


@pytest.mark.parametrize("empty", ["", None, [], {}, ()])
def test_an_empty_optional_field_is_absent(empty: Any) -> None:
    names = ["path", "count", "mode", "kind", "size", "list", "map", "other"]
    fitted, found = fit({**dict.fromkeys(names, empty), "path": "a"}, FIELDS)
    assert (fitted, found) == ({"path": "a"}, [])


def test_zero_says_nothing_where_one_is_the_least() -> None:
    assert fit({"path": "a", "count": 0}, FIELDS) == ({"path": "a"}, [])
    assert problems({"path": "a", "count": -1}) == ["count: expected 1 or more"]


def test_unknown_keys_can_be_dropped_or_kept() -> None:
    value = {"path": "a", "other": 1, "empty": ""}
    assert fit(value, FIELDS, "drop") == ({"path": "a"}, [])
    assert fit(value, FIELDS, "keep") == ({"path": "a", "other": 1}, [])


KEYS = st.sampled_from(["path", "count", "mode", "list", "map", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("[]{}a1,", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)


@given(VALUES)
def test_what_fits_fits_again(value: Any) -> None:
    fitted, found = fit(value, FIELDS)
    if not found:
        assert fit(fitted, FIELDS) == (fitted, [])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (' {"a": 1}\n', {"a": 1}),
        ("```json\n{a: 1}\n```", {"a": 1}),
        ('{"a": 1}}', {"a": 1}),
    ],
)
def test_arguments_are_one_object(text: str, value: Any) -> None:
    assert read_object(text) == value


CUT = ['{"a": 1', '{"a": [1}', '{"a"', '{"a": 1,']


@pytest.mark.parametrize("text", ["", "x", "[1]", "{} {}", 'So {"a": 1}', '{"a": 1} done', *CUT])
def test_f13_arguments_that_are_cut_or_beside_anything_else_are_refused(text: str) -> None:
    with pytest.raises(BrokenText):
        read_object(text)


def test_m2_an_empty_value_is_kept_where_it_says_that_there_is_none() -> None:
    list_ = {"type": "array", "items": {"type": "string"}}
    schema = {"properties": {"kept": {**list_, KEEPS_EMPTY: True}, "other": list_}}
    values: tuple[object, ...] = ([], None, "")
    for empty in values:
        assert fit({"kept": empty, "other": empty}, schema) == ({"kept": []}, [])
