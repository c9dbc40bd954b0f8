"""Blocks of ours in files of others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.hosts.settings.file_kinds import (
    HASH,
    HTML,
    BlockStyle,
    block_lines,
    remove_block,
    set_block,
)

LINES = st.lists(st.sampled_from(["a", "", "# b", "  c"]), max_size=4)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from([HASH, HTML]))
def test_adding_and_removing_a_block_is_the_identity(
    lines: list[str], newline: str, style: BlockStyle
) -> None:
    before = "".join(f"{line}{newline}" for line in lines)
    with_block = set_block(before, style, ["one", "two"])
    assert with_block.startswith(before)
    assert block_lines(with_block, style) == ["one", "two"]
    assert remove_block(with_block, style) == before


def test_a_block_is_replaced_in_its_place() -> None:
    text = set_block("a\n", HASH, ["one"]) + "b\n"
    replaced = set_block(text, HASH, ["two", "three"])
    assert replaced == ("a\n\n# outlast init: begin\ntwo\nthree\n# outlast init: end\nb\n")
    assert remove_block(replaced, HASH) == "a\nb\n"


def test_a_text_without_a_last_line_break_gets_one() -> None:
    text = set_block("a", HTML, ["one"])
    assert text == "a\n\n<!-- outlast init: begin -->\none\n<!-- outlast init: end -->\n"
    assert remove_block(text, HTML) == "a\n"


@pytest.mark.parametrize(
    "text",
    ["", "a\n", "# outlast init: begin\na\n", "# outlast init: end\n# outlast init: begin\n"],
)
def test_without_a_whole_block_nothing_is_ours(text: str) -> None:
    assert block_lines(text, HASH) is None
    assert remove_block(text, HASH) == text


def test_lines_of_the_user_below_a_begin_without_an_end_stay() -> None:
    damaged = "# outlast init: begin\nold\nmine\n"
    repaired = set_block(damaged, HASH, ["new"])
    assert block_lines(repaired, HASH) == ["new"]
    assert remove_block(repaired, HASH) == damaged
