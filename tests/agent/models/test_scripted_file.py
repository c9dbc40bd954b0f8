"""`script:FILE`: what a file may contain, and errors with their line."""

import asyncio
from pathlib import Path

import pytest

from outlast.agent.models.scripted import MAX_BYTES, Turn, load_script, parse_turns
from outlast.context.chat_model import Call, Message
from outlast.errors import InvalidDocument
from outlast.language import explain

SCRIPT = """\
# What a small model would do.
- when: [Current step, report]
  unless: done
  say: I read.
  calls:
    - name: read_file
      params: {path: notes.md, lines: 3}
- after_tool: read_file
  times: 1
  say: |
    It says:
    {{read_file}}
- say: 好了
"""


def test_every_field_of_a_turn() -> None:
    assert parse_turns(SCRIPT, "demo.yaml") == (
        Turn(
            ("Current step", "report"),
            "I read.",
            (Call("read_file", {"path": "notes.md", "lines": 3}),),
            ("done",),
        ),
        Turn((), "It says:\n{{read_file}}\n", (), (), "read_file", 1),
        Turn((), "好了"),
    )


def test_a_file_is_a_model(tmp_path: Path) -> None:
    file = tmp_path / "demo.yaml"
    file.write_text(f"\ufeff{SCRIPT}", "utf-8")
    model = load_script(str(file))
    assert model.name == f"script:{file}"
    assert asyncio.run(model.think([Message("user", "hello")], ())).text == "好了"


WRONG = {
    "not YAML": ("- say: [", "line 1"),
    "no list": ("say: hello", "line 1: Expected `array`"),
    "empty": ("", "line 1"),
    "unknown field": ("- say: a\n- says: b", "line 2: Object contains unknown field `says`"),
    "wrong type": ("- say: a\n- when:\n    - 5", "line 3: Expected `str`"),
    "no name": ("- calls:\n    - params: {}", "line 2: Object missing required field `name`"),
    "a field twice": ("- say: a\n  say: b", "line 2: found duplicate key"),
    "no text for a key": (
        "- say: a\n- calls:\n  - name: a\n    params:\n      1: b",
        "line 5: Expected `str`, got `int`.",
    ),
    "never": ("- times: 0", "line 1: Expected `int` >= 1"),
    "a date": ("- calls:\n  - name: a\n    params: {at: 2020-01-01}", "line 3: Object of type"),
    "no number": ("- calls:\n  - name: a\n    params: {at: .nan}", "line 3: Out of range"),
    "an alias": ("- say: &a b\n- say: *a", "line 2: aliases and deep nesting are not allowed"),
    "a tag": ("- say: !!python/object:os.system x", "line 1"),
    "too deep": ("[" * 3000, "line 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a12_what_is_wrong_is_told_with_its_line(name: str) -> None:
    source, told = WRONG[name]
    with pytest.raises(InvalidDocument) as caught:
        parse_turns(source, "demo.yaml")
    assert f"demo.yaml, {told}" in explain(caught.value)


def test_f15_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    file.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(InvalidDocument) as caught:
        load_script(str(file))
    assert caught.value.text == "script_too_large"


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "demo.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InvalidDocument) as caught:
        load_script(str(file))
    assert caught.value.text == "script_unreadable"
