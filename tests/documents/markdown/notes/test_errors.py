"""`errors.md` (R4.09): the document's bytes, newest first, and read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from outlast.documents.markdown.notes.errors import (
    ErrorFields,
    compact_params,
    error_fields,
    parse,
    render,
)
from tests.documents.markdown.notes.noted_plans import error, errors, with_errors

if TYPE_CHECKING:
    from outlast.model.model import ErrorRecord

FORM = """# Error Log

> This file tracks errors to avoid repeating the same mistakes.

## bash - 2026-01-02T12:00:00.125Z

**Count:** 3 times

**Message:** exit 1
see above

**Params:**
```json
{
  "command": "make",
  "env": {},
  "args": [
    1
  ]
}
```

---

## edit_file - 2026-01-02T12:00:00.123Z

**Count:** 1 times

**Message:** no such file

---

"""


def test_r4_09_errors_have_the_form_of_the_document() -> None:
    params = '{"command":"make","env":{},"args":[1]}'
    found = (
        error("edit_file", "no such file"),
        error("bash", "exit 1\nsee above", params, count=3, later=2),
    )
    assert render(with_errors(found), bare=True) == FORM
    assert render(with_errors(found), mark="9f3c1a2b") == f"{FORM}<!-- outlast r0 9f3c1a2b -->\n"
    document = parse(FORM)
    assert [entry.line for entry in document.entries] == [5, 25]
    assert document.entries[0].fields.params == params


def test_r4_09_without_errors_there_is_no_file() -> None:
    assert render(with_errors(())) == ""


@given(st.lists(errors, max_size=3))
@example([error("a - b", "\n", "```\n\\```\n---")])
@example([error("t", "**Params:**\n```json\n1\n```\n---\n## x", "[" * 5000)])
def test_a3_errors_are_read_as_they_were_written(found: list[ErrorRecord]) -> None:
    text = render(with_errors(found))
    expected = [error_fields(one) for one in sorted(found, key=lambda one: one.at, reverse=True)]
    for written in (text, text.replace("\n", "\r\n"), f"\ufeff{text}", text.rstrip("\n")):
        document = parse(written)
        assert [entry.fields for entry in document.entries] == expected
        assert not document.strays


def test_r4_09_errors_by_hand_need_neither_time_nor_count() -> None:
    text = "## tool\n\n**Message:**\n\n## x - soon\n**Count:** many\n**Message:** a\n**Message:** b"
    document = parse(text)
    assert [entry.fields for entry in document.entries] == [
        ErrorFields("tool", ""),
        ErrorFields("x - soon", "a\n**Message:** b"),
    ]
    assert document.strays == (6,)


def test_r4_09_lines_outside_of_errors_are_reported() -> None:
    fenced = "**Params:** {}\nodd\n```json\nnot json\n```\nbehind"
    text = f"top\n## t\nloose\n**Count:** 2 times\nodd\n**Message:** m\n{fenced}\n---\nout\n"
    document = parse(text)
    assert [entry.fields for entry in document.entries] == [ErrorFields("t", "m", "not json", 2)]
    assert document.strays == (1, 3, 5, 7, 8, 12, 14)
    assert parse("## t\n**Params:**\nbare").strays == (3,)
    assert parse("## t\n**Params:**\n```\nopen\n").entries[0].fields.params == "open"


def test_r4_09_params_are_compared_without_blanks() -> None:
    assert compact_params('{ "a": 1 }') == '{"a":1}'
    assert compact_params("no json") == "no json"


def test_r4_09_a_message_that_ends_in_a_line_break_leaves_no_mark() -> None:
    text = render(with_errors((error("bash", "\nexit 1\n\nsee above\n"),)))
    assert "**Message:** exit 1\n\nsee above\n\n---\n" in text
