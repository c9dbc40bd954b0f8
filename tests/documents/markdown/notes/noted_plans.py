"""Plans with notes for the tests of their files, and texts that are hard to keep apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from outlast.model.model import CATEGORIES, ErrorRecord, Finding
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.model import Category

NOON: Final = datetime(2026, 1, 2, 12, 0, 0, 123456, tzinfo=UTC)

_PIECES: Final = (
    *("## Code", "### x", "# y", "#### z", "##", "###", "\\## Code", "\\\\### x", "\\"),
    *(
        "```",
        "````",
        "~~~",
        "```json",
        "\\```",
        "   ```",
        "``` a`b",
        "~~~~ x",
        "---",
        "--- ",
        "***",
    ),
    *("*Source: a*", "*Source: *", "\\*Source: b*", "**Count:** 3 times", "**Message:** m"),
    *("**Params:**", "\\**Params:**", "- [x] fake", "> quote", "<!-- t1 -->", "&#13;", "&amp;#13;"),
    *("&#32;", "&#65;", "&amp;", "", " ", "\t", "\r", "a\r", "\v", "\x85", "\u2028", "\ufeff", "é"),
    *("字", "plain", "a  ", "  b", "x - 2026-01-02T12:00:00.123Z", "{", "}", '{"a":1}'),
)
_WHOLE: Final = st.text(max_size=20)  # no lone surrogates
bodies = st.one_of(
    st.lists(st.one_of(st.sampled_from(_PIECES), _WHOLE), max_size=6).map("\n".join), _WHOLE
)
names = (
    st.lists(st.one_of(st.sampled_from(_PIECES), _WHOLE), min_size=1, max_size=2)
    .map(" ".join)
    .filter(lambda text: bool(text.strip()) and text.splitlines() == [text])
)
findings = st.builds(
    Finding,
    id=st.just(0),
    category=st.sampled_from(CATEGORIES),
    title=names,
    content=bodies,
    at=st.just(NOON),
    source=st.one_of(st.just(""), names, bodies),
)
errors = st.builds(
    ErrorRecord,
    id=st.just(0),
    tool=names,
    message=bodies,
    first_at=st.just(NOON),
    at=st.integers(0, 3).map(lambda ms: NOON + timedelta(milliseconds=ms)),
    count=st.integers(1, 10**9),
    params=st.one_of(st.just(""), st.sampled_from(('{"a":[1,{}],"b":"```\\n## x"}', "1")), bodies),
)


def with_findings(found: Iterable[Finding]) -> PlanState:
    """Return a plan with these findings, numbered from 1."""
    state = PlanState(NOON)
    for number, one in enumerate(found, 1):
        state.notes.findings[number] = one
    return state


def with_errors(found: Iterable[ErrorRecord]) -> PlanState:
    """Return a plan with these errors, under keys of their own."""
    state = PlanState(NOON)
    for number, one in enumerate(found, 1):
        state.notes.errors[f"k{number}"] = one
    return state


def finding(category: Category, title: str, content: str = "c", source: str = "") -> Finding:
    """Return a finding."""
    return Finding(0, category, title, content, NOON, source)


def error(tool: str, message: str, params: str = "", count: int = 1, later: int = 0) -> ErrorRecord:
    """Return an error that happened so many milliseconds after noon."""
    at = NOON + timedelta(milliseconds=later)
    return ErrorRecord(0, tool, message, NOON, at, count, params, "stack")
