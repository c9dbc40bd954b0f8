"""`findings.md` (R4.09): the document's bytes, and nothing that content could pretend to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.documents.markdown.notes.findings import FindingFields, finding_fields, parse, render
from tests.documents.markdown.notes.noted_plans import finding, findings, with_findings

if TYPE_CHECKING:
    from outlast.model.model import Finding

FORM = """# Findings & Notes

> Research findings and important discoveries.

## Code

### First

one

*Source: src/a.py*

### Third

three
lines

## Insight

### Second

two

"""


def test_r4_09_findings_have_the_form_of_the_document() -> None:
    found = (
        finding("code", "First", "one", "src/a.py"),
        finding("insight", "Second", "two"),
        finding("code", "Third", "three\nlines"),
    )
    assert render(with_findings(found), bare=True) == FORM
    assert render(with_findings(found), mark="9f3c1a2b") == f"{FORM}<!-- outlast r0 9f3c1a2b -->\n"
    assert [entry.line for entry in parse(FORM).entries] == [7, 13, 20]


def test_r4_09_a_finding_that_was_noted_often_shows_its_count() -> None:
    found = (
        replace(finding("code", "First", "one", "src/a.py"), count=3),
        replace(finding("code", "Second", "*Count: 7 times*\n*Count: 8*"), count=2),
    )
    text = render(with_findings(found))
    assert "\none\n\n*Source: src/a.py*\n\n*Count: 3 times*\n\n### Second" in text
    assert [entry.fields for entry in parse(text).entries] == [*map(finding_fields, found)]
    assert [entry.fields.count for entry in parse("### a\n\n*Count: 0*\n").entries] == [1]


def test_r4_09_without_findings_there_is_no_file() -> None:
    assert render(with_findings(())) == ""
    assert parse("") == parse("# Findings & Notes\n\n")


def test_r4_09_code_blocks_and_their_comments_stay_readable() -> None:
    code = "before\n```python\n# a comment\n```\nafter"
    assert code in render(with_findings((finding("code", "t", code),)))
    assert "\n\\```python\n" in render(with_findings((finding("code", "t", "```python\nx"),)))


@given(st.lists(findings, max_size=4))
@example([finding("code", " edge ", "```\n## Code\n```\n~~~a\n~~~b\n````")])
@example([finding("code", "t", "\r\n"), finding("code", "t", "", "a\nb\r")])
@example([replace(finding("code", "t", "*Count: 2*\n\n\\*Count: 2*"), count=9)])
@example([finding("code", "t", "*Source: a*\n\n*Source: b*")])
def test_a3_findings_are_read_as_they_were_written(found: list[Finding]) -> None:
    text = render(with_findings(found))
    grouped = sorted(map(finding_fields, found), key=_by_appearance(found))
    for written in (text, text.replace("\n", "\r\n"), f"\ufeff{text}", text.rstrip("\n")):
        document = parse(written)
        assert [entry.fields for entry in document.entries] == grouped
        assert not document.strays
        assert not document.unknown
    assert all(text.split("\n")[entry.line - 1][:4] == "### " for entry in parse(text).entries)


def test_r4_09_lines_outside_of_findings_are_reported() -> None:
    text = FORM.replace("## Insight\n", "## Insight\nloose\n").replace("## Code", "## Stuff")
    document = parse(f"hello\n{text}## \n###\nx\n### late")
    assert document.strays == (1, 20)
    assert document.unknown == (6, 26)
    assert [entry.fields.category for entry in document.entries] == [
        None,
        None,
        "insight",
        None,
        None,
    ]
    assert [entry.fields.title for entry in document.entries][3:] == ["", "late"]


def test_r4_09_text_below_the_source_belongs_to_the_finding() -> None:
    [entry] = parse("##  CODE \n### t\na\n*Source: s*\n\nb\n").entries
    assert entry.fields == FindingFields("code", "t", "a\n\nb", "s")


def _by_appearance(found: list[Finding]):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a key
    order = list(dict.fromkeys(one.category for one in found))
    return lambda one: order.index(one.category)
