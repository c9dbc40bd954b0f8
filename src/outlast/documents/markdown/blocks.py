"""Code blocks and comments of several lines: their lines are prose, whatever they look like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from outlast.documents.markdown.syntax import REVISION, UPDATED

if TYPE_CHECKING:
    from collections.abc import Sequence

_FENCE: Final = re.compile(r"\s*(?:(`{3,})[^`]*|(~{3,}).*)$")
_COMMENT: Final = "<!--"
_COMMENT_END: Final = "-->"


class Blocks:
    """The indexes of the lines inside blocks (`covered`), and of the openings without an end.

    `comments` are the lines of those blocks that are comments. A block without an end covers
    nothing: a forgotten fence would hide the rest of the plan.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        """Scan all lines."""
        self.covered: set[int] = set()
        self.comments: set[int] = set()
        self.unclosed: list[int] = []
        self._lines = lines
        self._open_until: dict[str, int] = {}  # by fence: no line before this index closes it
        index = 0
        while index < len(lines):
            index = self._scan(index)

    def _scan(self, index: int) -> int:
        """Cover a block that begins at an index; return the index to continue at."""
        line = self._lines[index].lstrip()
        if not line.startswith(("```", "~~~", _COMMENT)):
            return index + 1
        if line.startswith(_COMMENT):
            if _COMMENT_END in line[2:]:  # `<!-->` is a complete comment
                return index + 1
            following = self._cover(index, self._comment_end(index))
            self.comments.update(self.covered.intersection(range(index, following)))
            return following
        fence = _FENCE.match(line)
        return (
            self._cover(index, self._fence_end(index, fence[1] or fence[2])) if fence else index + 1
        )

    def _cover(self, index: int, end: int | None) -> int:
        if end is None:
            self.unclosed.append(index)
            return index + 1
        self.covered.update(range(index, end + 1))
        return end + 1

    def _comment_end(self, index: int) -> int | None:
        """Return the line that ends a comment, unless another begins before."""
        for n in range(index + 1, len(self._lines)):
            line = self._lines[n]
            end, begin = line.find(_COMMENT_END), line.find(_COMMENT)
            if end >= 0 and not 0 <= begin < end:
                return n
            if begin >= 0:
                return None
        return None

    def _fence_end(self, index: int, fence: str) -> int | None:
        """Return the line that ends a code block, unless it would hide the end of the file."""
        if index < self._open_until.get(fence, 0):
            return None
        n = index
        for n in range(index + 1, len(self._lines)):
            line = self._lines[n].strip()
            if len(line) >= len(fence) and line == fence[0] * len(line):
                return n
            if line[:1] in "*<" and (UPDATED.match(line) or REVISION.match(line)):
                break
        self._open_until[fence] = n
        return None
