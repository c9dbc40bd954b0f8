"""X8: tables for terminals of any width, with characters of any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.language.columns import draw_table, text_width

HEADINGS = ("ID", "State", "Due", "Todo")
ROWS = [
    ("1", "○", "2026-11-17 18:00", "买牛奶和面包，还有两升苹果汁"),
    ("12", "●", "", "Call Ann about the contract 👍🏽 today"),
]


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("中文", 4),
        ("ＡＢ", 4),
        ("e\u0301", 1),
        ("👍", 2),
        ("❤\ufe0f", 1),
        ("👩\u200d💻", 4),
        ("", 0),
    ],
)
def test_x8_a_character_takes_the_columns_that_a_terminal_gives_it(text: str, width: int) -> None:
    assert text_width(text) == width


def test_x8_columns_align_and_empty_ones_are_left_out() -> None:
    assert draw_table(HEADINGS, ROWS, frozenset({0})) == [
        "ID  State  Due               Todo",
        " 1  ○      2026-11-17 18:00  买牛奶和面包，还有两升苹果汁",
        "12  ●                        Call Ann about the contract 👍🏽 today",
    ]
    assert draw_table(HEADINGS, [("1", "", "", "x")]) == ["ID  Todo", "1   x"]
    assert draw_table(("", ""), [("a", "b")]) == ["a  b"], "a table needs no headings"


def test_x8_the_last_column_is_wrapped_where_there_is_little_room() -> None:
    assert draw_table(HEADINGS, ROWS, frozenset({0}), 50) == [
        "ID  State  Due               Todo",
        " 1  ○      2026-11-17 18:00  买牛奶和面包，还有两",
        "                             升苹果汁",
        "12  ●                        Call Ann about the",
        "                             contract 👍🏽 today",
    ]


def test_x8_a_row_becomes_several_lines_where_there_is_no_room() -> None:
    assert draw_table(HEADINGS, ROWS, frozenset({0}), 20) == [
        "1 买牛奶和面包，还有",
        "  两升苹果汁",
        "  State ○",
        "  Due 2026-11-17",
        "  18:00",
        "12 Call Ann about",
        "  the contract 👍🏽",
        "  today",
        "  State ●",
    ]


CELLS = st.text("ab 中文，👍e\u0301", max_size=30)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=4), st.integers(24, 90))
def test_x8_no_line_is_wider_than_the_terminal_and_nothing_is_lost(
    rows: list[tuple[str, str, str]], width: int
) -> None:
    lines = draw_table(("A", "B", "C"), rows, width=width)
    assert all(text_width(line) <= width for line in lines)
    wanted = "".join("".join(cell for row in rows for cell in row).split())
    shown = "".join("".join(lines).split())
    assert all(shown.count(letter) >= wanted.count(letter) for letter in "ab中文，👍")
