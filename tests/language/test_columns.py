"""X8: lines that fit a terminal, also where characters are two columns wide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.language.columns import text_width, wrap_line

TEXTS = st.text(st.sampled_from("ab  一，é\u0301"), max_size=80)


@pytest.mark.parametrize(
    ("line", "width", "pieces"),
    [
        ("one two three", 0, ["one two three"]),
        ("one two three", 13, ["one two three"]),
        ("one two three", 8, ["one two", "  three"]),
        ("  - one two", 7, ["  - one", "  two"]),
        (
            "abcdefghijklmnopqrstuvwxyz0123456789",
            30,
            ["abcdefghijklmnopqrstuvwxyz0123", "  456789"],
        ),
        ("每张发票都要有编号", 8, ["每张发票", "  都要有编号"]),
        ("ab每张发票", 5, ["ab每", "  张发票"]),
        ("", 5, [""]),
    ],
)
def test_x8_a_line_breaks_at_spaces_and_between_wide_characters(
    line: str, width: int, pieces: list[str]
) -> None:
    assert [*wrap_line(line, width, "  ")] == pieces


@given(TEXTS, st.integers(24, 60))
def test_x8_a_wrapped_line_fits_and_loses_nothing(line: str, width: int) -> None:
    pieces = [*wrap_line(line, width, "  ")]
    assert all(text_width(piece) <= width for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(line.split())
