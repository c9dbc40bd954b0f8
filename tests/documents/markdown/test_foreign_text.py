"""A1: text from elsewhere in Markdown shows as it is, and does nothing."""

import pytest

from outlast.documents.markdown.foreign_text import code, escape, fence


@pytest.mark.parametrize(
    ("content", "escaped"),
    [
        ("snake_case and f(x) = 1", "snake_case and f(x) = 1"),
        ("two\n  lines\there", "two lines here"),
        ("# heading", "&#35;&#8203; heading"),
        ("- item", "&#45; item"),
        ("+ item", "&#43; item"),
        ("12. item", "12&#46; item"),
        ("1.5 s", "1.5 s"),
        ("_so_ **it** is", "&#95;so&#95; &#42;&#42;it&#42;&#42; is"),
        ("<b>&amp;", "&#60;b&#62;&#38;amp;"),
        ("![x](y)", "!&#91;x&#93;(y)"),
        ("a|b", "a&#124;b"),
        ("$x$ ~y~", "&#36;x&#36; &#126;y&#126;"),
        ("hi @team, fixes #12", "hi &#64;&#8203;team, fixes &#35;&#8203;12"),
        ("https://evil.example", "https&#58;&#8203;//evil.example"),
        ("www.evil.example", "www&#46;&#8203;evil.example"),
        ("at 12:30, `x` \\", "at 12:30, &#96;x&#96; &#92;"),
        ("\x1b[31m\u202e", "&#92;x1b&#91;31m&#92;u202e"),
    ],
)
def test_a1_a_line_is_taken_for_nothing(content: str, escaped: str) -> None:
    assert escape(content) == escaped


def test_a1_no_line_ends_a_fence() -> None:
    assert fence(["a", "```", "\tb\x07"]) == ["````text", "a", "```", "    b\\x07", "````"]
    assert fence([]) == ["```text", "```"]


@pytest.mark.parametrize(
    ("content", "shown"),
    [("ls -l", "`ls -l`"), ("`x`", "`` `x` ``"), ("a `b` c", "``a `b` c``"), ("", "")],
)
def test_a1_code_in_a_line_has_no_end_in_it(content: str, shown: str) -> None:
    assert code(content) == shown
