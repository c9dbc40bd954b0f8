"""JSON is edited as text: what is not edited keeps its bytes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.errors import InvalidDocument
from outlast.hosts.settings.json_edit import JsonText

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)
STYLES = st.sampled_from(
    [
        {"indent": 2},
        {"indent": "\t"},
        {"indent": 4, "separators": (" ,", " : ")},
        {"separators": (",", ":")},
        {},
        {"indent": 0},
    ]
)
NEW = "outlast!"


@given(OBJECTS, STYLES, VALUES, st.sampled_from(["\n", "\r\n"]))
def test_adding_and_removing_a_key_is_the_identity(
    settings: dict[str, Any], style: dict[str, Any], value: object, newline: str
) -> None:
    before = json.dumps(settings, ensure_ascii=False, **style).replace("\n", newline)
    text = JsonText(before)
    text.add((NEW,), value)
    assert json.loads(text.text) == {**settings, NEW: value}
    assert list(json.loads(text.text)) == [*settings, NEW]
    text.remove((NEW,))
    assert text.text == before


@given(OBJECTS, STYLES, st.data())
def test_removing_any_value_leaves_the_others(
    settings: dict[str, Any], style: dict[str, Any], data: st.DataObject
) -> None:
    if not settings:
        return
    key = data.draw(st.sampled_from(sorted(settings)))
    text = JsonText(json.dumps(settings, **style))
    text.remove((key,))
    assert json.loads(text.text) == {k: v for k, v in settings.items() if k != key}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "a": 1\n}'),
        ("", '{\n  "a": 1\n}\n'),
        ("\ufeff \n", '\ufeff{\n  "a": 1\n}\n'),
        ('{"b":2}', '{"b":2, "a": 1}'),
        ('  {\n    "b": 2\n  }\n', '  {\n    "b": 2,\n    "a": 1\n  }\n'),
        ('{\n"b": 2\n}', '{\n"b": 2,\n"a": 1\n}'),
        ('{"b": 2 /* c */}', '{"b": 2, /* c */\n"a": 1}'),
        ('{\n  "b": 2 // c\n}', '{\n  "b": 2, // c\n  "a": 1\n}'),
        ("{ // c\n}", '{ // c\n  "a": 1\n}'),
        ("{\r\n}", '{\r\n  "a": 1\r\n}'),
    ],
)
def test_a_member_is_added_in_the_style_of_the_text(before: str, after: str) -> None:
    text = JsonText(before, comments=True)
    text.add(("a",), 1)
    assert text.text == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": {}, "b": {}}', '{"a": {"n": [1]}, "b": {}}'),
        ('{\n  "a": {}\n}', '{\n  "a": {\n    "n": [\n      1\n    ]\n  }\n}'),
        ('{\n    "a": {}\n}', '{\n    "a": {\n        "n": [\n            1\n        ]\n    }\n}'),
        ('{\n\t"a": {}\n}', '{\n\t"a": {\n\t\t"n": [\n\t\t\t1\n\t\t]\n\t}\n}'),
        ('{"a": {}\n}', '{"a": {\n  "n": [\n    1\n  ]\n}\n}'),
        ('{"a": { /* c */ }, "b": 1}', '{"a": { /* c */"n": [1]}, "b": 1}'),
    ],
)
def test_an_empty_object_is_filled(before: str, after: str) -> None:
    text = JsonText(before, comments=True)
    text.add(("a", "n"), [1])
    assert text.text == after


def test_an_item_is_added_to_a_list() -> None:
    text = JsonText('{"a": [1, 2], "b": []}')
    text.add(("a", 0), 3)
    text.add(("b", 0), 4)
    assert text.text == '{"a": [1, 2, 3], "b": [4]}'
    assert text.value == {"a": [1, 2, 3], "b": [4]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, "b": 2}', '{"b": 2}'),
        ('{\n  "a": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'),
        ('{\n  "a": 1, // of a\n  "b": 2\n}', '{\n   // of a\n  "b": 2\n}'),
        ('{"b": 2 /* c */, "a": 1 }', '{"b": 2 /* c */ }'),
        ('{ // c\n  "a": 1\n}', "{ // c\n  \n}"),
        ('{"x": "a", "a": [{"a": 1}]}', '{"x": "a"}'),
        ('{"b": 2, // c\n  "a": 1}', '{"b": 2 // c\n  }'),
        ('{"b": 2, // c\r\n  "a": 1}', '{"b": 2 // c\r\n  }'),
        ('{"b": 2, // c\n  "a": 1 /* d\n */}', '{"b": 2 // c\n   /* d\n */}'),
        ('{"b": 2, // c\r\n  "a": 1\r\n}', '{"b": 2 // c\r\n}'),
        ('{"b": 2 // c\n, "a": 1}', '{"b": 2 // c\n }'),
        ('{"b": 2, /* // */ "a": 1}', '{"b": 2 /* // */}'),
    ],
)
def test_a_member_is_removed_and_comments_stay(before: str, after: str) -> None:
    text = JsonText(before, comments=True)
    text.remove(("a",))
    assert text.text == after


GAPS = st.sampled_from(["", " ", "\r\n", "// c\n", "// c\r\n", "/* c */", "/* // c\n */"])


@given(st.lists(st.tuples(GAPS, GAPS, GAPS, GAPS), min_size=1, max_size=3), GAPS, st.data())
def test_comments_anywhere_never_swallow_a_member(
    gaps: list[tuple[str, ...]], end: str, data: st.DataObject
) -> None:
    members = [f'{a}"{n}"{b}:{c}{n}{d}' for n, (a, b, c, d) in enumerate(gaps)]
    text = JsonText(f"{{{','.join(members)}}}{end}", comments=True)
    key = data.draw(st.sampled_from(list(text.value)))
    left = {name: value for name, value in text.value.items() if name != key}
    text.remove((key,))
    assert text.value == left
    text.add((NEW,), [1])
    assert text.value == {**left, NEW: [1]}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[]", 1),
        ('{"a": 1,\n}', 2),
        ('{"a": 1\n"b": 2}', 2),
        ('{"a"\n1}', 2),
        ('{"a": 01}', 1),
        ('{"a": nan}', 1),
        ('{"a": "\n"}', 1),
        ("{} x", 1),
        ("{a: 1}", 1),
        ("{1: 2}", 1),
        ('{\n"a": 1, true: 1}', 2),
        ('\n{"a": 1', 2),
        ("// c\n{}", 1),
        ('{"a": ' + "[" * 300 + "]" * 300 + "}", 1),
    ],
)
def test_what_is_no_json_object_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(InvalidDocument) as refused:
        JsonText(text)
    assert (refused.value.text, refused.value.details) == ("settings_no_json", {"line": line})


def test_a_key_that_occurs_twice_is_refused() -> None:
    with pytest.raises(InvalidDocument) as refused:
        JsonText('{"a": 1,\n "\\u0061": 2}')
    assert refused.value.details == {"line": 2, "key": "a"}


def test_values_are_read_as_json() -> None:
    text = '{"a": [true, false, null, -1.5e3, "\\ud83d\\ude00\\n"], "b": {"c": 0}}'
    assert JsonText(text).value == json.loads(text)
