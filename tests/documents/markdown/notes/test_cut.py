"""F20: which files of notes look broken off; F33: which files hold a merge conflict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.documents.markdown.notes import errors, findings
from outlast.documents.markdown.notes.entries import read_notes
from outlast.documents.markdown.notes.merge import find_cut, merge_errors, merge_findings
from outlast.documents.markdown.syntax import closing_line, find_conflict
from tests.documents.markdown.notes.noted_plans import error, finding, with_errors, with_findings
from tests.documents.markdown.notes.noted_plans import errors as some_errors
from tests.documents.markdown.notes.noted_plans import findings as some_findings

NOTED = with_findings(finding("code", name, f"about {name}\n\nand more") for name in "ABC")
LATER = with_findings(finding("code", name, f"about {name}\n\nand more") for name in "ABCD")
LOGGED = with_errors(error(tool, f"{tool} broke\nbadly", '{"x":1}') for tool in "EFG")
WHOLE = {
    "findings.md": (NOTED, findings.render(NOTED, bare=True)),
    "errors.md": (LOGGED, errors.render(LOGGED, bare=True)),
}
FORMS = [(name, bare) for name in WHOLE for bare in (True, False)]


def is_cut(name: str, text: str, *, bare: bool) -> bool:
    state, _ = WHOLE[name]
    return find_cut(name, text, state, state, bare=bare) is not None


@pytest.mark.parametrize(("name", "bare"), FORMS)
def test_f20_every_beginning_of_a_file_of_notes_looks_broken_off(name: str, *, bare: bool) -> None:
    state, whole = WHOLE[name]
    merge_notes = merge_findings if name == findings.NAME else merge_errors
    for end in range(1, len(whole)):
        text = whole[:end]
        if not is_cut(name, text, bare=bare):
            assert merge_notes(state, state, text).edits == (), text


@pytest.mark.parametrize(("name", "bare"), FORMS)
def test_f20_a_file_with_its_closing_line_is_whole(name: str, *, bare: bool) -> None:
    _, whole = WHOLE[name]
    for text in (whole[:60], whole.replace("about", "of").replace("broke", "is broken")):
        closed = f"{text}\n{closing_line(3, '9f3c1a2b')}\n"
        assert not is_cut(name, closed, bare=bare)
        assert not is_cut(name, closed.replace("\n", "\r\n"), bare=bare)


@pytest.mark.parametrize(("name", "bare"), FORMS)
def test_f20_a_blank_file_and_one_without_notes_are_not_broken_off(
    name: str, *, bare: bool
) -> None:
    assert not is_cut(name, "\ufeff\n \n", bare=bare)
    empty = with_findings(())
    assert find_cut(name, "### new", empty, empty, bare=bare) is None


@pytest.mark.parametrize(
    ("name", "edit", "bare", "found"),
    [
        ("findings.md", ("about A", "of A"), True, False),
        ("findings.md", ("about A", "of A"), False, False),
        ("findings.md", ("about C", "of C"), True, False),
        ("findings.md", ("about C", "of C"), False, True),
        ("findings.md", ("about C\n\nand more\n\n", "of C"), True, True),
        ("findings.md", ("and more\n\n### C", "### C"), True, False),
        ("errors.md", ("G broke", "G is broken"), True, False),
        ("errors.md", ("G broke", "G is broken"), False, True),
        ("errors.md", ("E broke", "E is broken"), False, False),
        ("errors.md", ("```\n\n---\n\n", "```\n"), True, False),
    ],
)
def test_f20_an_edit_is_told_from_an_end_that_is_missing(
    name: str, edit: tuple[str, str], *, bare: bool, found: bool
) -> None:
    _, whole = WHOLE[name]
    changed = edit[1].join(whole.rsplit(edit[0], 1))
    assert changed != whole
    assert is_cut(name, changed, bare=bare) is found


def test_f20_an_edited_error_at_the_end_ends_as_errors_do() -> None:
    _, whole = WHOLE["errors.md"]
    text = whole.replace("G broke", "G is broken")
    assert is_cut("errors.md", text[: text.rindex("---")], bare=True)


@pytest.mark.parametrize(
    ("added", "bare", "found"),
    [
        ("### New\n\ntext\n", True, False),
        ("### New\n\ntext\n", False, True),
        ("### New\n\ntext", True, False),
    ],
)
def test_f20_a_new_entry_at_the_end_is_taken_where_no_closing_line_is_missing(
    added: str, *, bare: bool, found: bool
) -> None:
    _, whole = WHOLE["findings.md"]
    assert is_cut("findings.md", whole + added, bare=bare) is found


def test_f20_an_older_buffer_is_not_broken_off_unless_its_end_was_changed() -> None:
    text = findings.render(NOTED, bare=True)
    assert find_cut("findings.md", text, NOTED, LATER, bare=True) is None
    for old, new in (("about A", "of A"), ("### A", "### a")):
        assert find_cut("findings.md", text.replace(old, new), NOTED, LATER, bare=True) is None
    changed = text.replace("about C", "of C")
    report = find_cut("findings.md", changed, NOTED, LATER, bare=True)
    assert report is not None
    assert report.details == {"name": "findings.md", "line": 25, "line_text": "and more"}


@given(st.lists(some_findings, max_size=3), st.lists(some_errors, max_size=3))
def test_f20_what_was_rendered_is_never_broken_off(found: list, wrong: list) -> None:  # type: ignore[type-arg]
    noted, logged = with_findings(found), with_errors(wrong)
    for bare in (True, False):
        text = findings.render(noted, bare=bare, mark="9f3c1a2b")
        assert find_cut("findings.md", text, noted, noted, bare=bare) is None
        text = errors.render(logged, bare=bare, mark="9f3c1a2b")
        assert find_cut("errors.md", text, logged, logged, bare=bare) is None


def test_f20_the_newest_of_several_closing_lines_counts() -> None:
    lines = (closing_line(3, "aaaaaaaa"), "x", closing_line(12, ""), closing_line(4, "bbbbbbbb"))
    file = read_notes("\n".join(lines))
    assert (file.revision, file.mark, file.is_ended) == (12, "", False)
    assert (file.lines, file.last_line) == (["", "x", "", ""], "x")
    assert read_notes("x\n").revision is None
    assert read_notes("").last_line == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n", 2),
        ("=======\nc\n>>>>>>> other", 1),
        ("||||||| base\n=======\n", 1),
        ("<<<<<<<\n>>>>>>>\n", 1),
        ("<<<<<<< HEAD\r\nb\r\n=======\r\n", 1),
        ("Title\n=======\n", 0),
        (">>>>>>> quoted seven times\n", 0),
        (" <<<<<<< HEAD\n =======\n", 0),
        ("<<<<<<<<\n========\n>>>>>>>>\n", 0),
        ("<<<<<<<HEAD\n=======x\n", 0),
        ("", 0),
    ],
)
def test_f33_a_conflict_is_two_kinds_of_markers_at_the_beginning_of_lines(
    text: str, line: int
) -> None:
    assert find_conflict(text.split("\n")) == line


@given(st.lists(st.sampled_from(("<<<<<<< a", "=======", "||||||| b", ">>>>>>> c", "x", "\\x"))))
def test_f33_notes_that_quote_a_conflict_hold_none(lines: list[str]) -> None:
    state = with_findings((finding("code", "A", "\n".join(lines)),))
    text = findings.render(state, mark="9f3c1a2b")
    assert find_conflict(text.split("\n")) == 0
    assert merge_findings(state, state, text).edits == ()
    logged = with_errors((error("sh", "\n".join(("x", *lines)), params="\n".join(lines)),))
    text = errors.render(logged, mark="9f3c1a2b")
    assert find_conflict(text.split("\n")) == 0
    assert merge_errors(logged, logged, text).edits == ()
