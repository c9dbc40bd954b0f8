"""The sections of a text: what stands below each heading, and what before the first."""

from outlast.documents.markdown.blocks import Blocks
from outlast.documents.markdown.outline import Section, read_heading, read_sections


def sections(*lines: str) -> list[tuple[str, int, int, int]]:
    """Return title, first line, end of the own lines and end of each section."""
    found = read_sections(
        Section, lines, Blocks(lines), lambda index: read_heading(lines[index]), lambda _: None
    )
    return [(one.title, one.start, one.own, one.end) for one in found]


def test_r4_02_every_line_but_a_heading_is_in_one_section() -> None:
    assert sections() == [("", 0, 0, 0)]
    assert sections("only") == [("", 0, 1, 1)]
    assert sections("before", "# A", "of a", "## B", "of b", "# C") == [
        ("", 0, 1, 6),
        ("A", 2, 3, 5),
        ("B", 4, 5, 5),
        ("C", 6, 6, 6),
    ]
