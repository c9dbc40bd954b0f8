"""Find data in a model's text: in fences, in prose, after its thoughts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.documents.contracts.lenient_json import MAX_CHARACTERS, read_json
from outlast.documents.contracts.problems import BrokenText, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CANDIDATES: Final = 200
_MAX_WORK: Final = 8 * MAX_CHARACTERS  # characters read for what is broken
_START: Final = re.compile(
    "[{\\[](?=\\s*+(?:[\"'\u201c\u201d\u2018\u2019{\\[}\\]\\d-]|//|/\\*|#|[^\\W\\d][\\w-]*+\\s*+:"
    "|(?:true|false|null|True|False|None)\\b))"
)
_BRACKET: Final = re.compile(r"[{}\[\]]")
_MAX_BLOCKS: Final = 3  # of YAML, which is read slowly: the last ones
_BEFORE: Final = re.compile(r"\s*+(?:```\w*+\s*+)?+")
_AFTER: Final = re.compile(r"[\s}\]`]*+")
_NEW_VALUE: Final = re.compile(r"(?<=\n)[{\[]")
_THOUGHTS_END: Final = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCE: Final = re.compile(
    r"^[ \t]*```[ \t]*(?:ya?ml)?[ \t]*\n((?s:.*?))(?:^[ \t]*```|\Z)", re.MULTILINE
)
_YAML_START: Final = re.compile(r"\s*+(?:---[ \t]*+\n\s*+)?(?:- |[\"']?[\w-]+[\"']?:(?:\s|\Z))")


class Candidate(Struct, frozen=True):
    """A value in a text; with a `problem` it could not be read."""

    start: int
    end: int
    value: Any = None
    problem: Problem | None = None


def find_json(text: str) -> Iterator[Candidate]:
    """Yield the outermost JSON values of a text in order, and what is broken beyond repair.

    No value is taken from inside a broken one. The search ends after 200 candidates, and earlier if
    a long text has many broken ones, each of which may have been read to its end.
    """
    if len(text) > MAX_CHARACTERS:
        problem = Problem("contract_too_long", details={"limit": MAX_CHARACTERS})
        yield Candidate(0, len(text), problem=problem)
        return
    brackets, work = _Brackets(text), 0
    at = max((match.end() for match in _THOUGHTS_END.finditer(text)), default=0)
    for _ in range(MAX_CANDIDATES):
        match = _START.search(text, at)
        if match is None:
            return
        start = match.start()
        try:
            value, at = read_json(text, start)
            candidate = Candidate(start, at, value)
        except BrokenText as error:
            at = brackets.skip(start, error.at)
            candidate = Candidate(start, at, problem=error.problem)
            work += len(text) - start
        yield candidate
        if work > _MAX_WORK:
            return


def read_object(text: str) -> dict[str, Any]:
    """Return the only JSON object of a text, such as the arguments of a call.

    Raises `BrokenText`, also if there is anything else beside the object, or if it may be cut.
    """
    candidates = list(find_json(text))
    first = candidates[0] if candidates else Candidate(0, 0, problem=Problem("contract_nothing"))
    if first.problem is not None:
        raise BrokenText(first.problem, first.start)
    value, end = read_json(text, first.start, closed=True)
    is_alone = _BEFORE.fullmatch(text, 0, first.start) and _AFTER.fullmatch(text, end)
    if type(value) is not dict or not is_alone:
        raise BrokenText(Problem("contract_nothing"), first.start)
    return value


def find_yaml(text: str) -> Iterator[str]:
    """Yield the parts of a text that look like YAML: fenced blocks, else the whole text."""
    if len(text) > MAX_CHARACTERS:
        return iter(())
    fenced = [match[1] for match in _FENCE.finditer(text) if _YAML_START.match(match[1])]
    if fenced:
        return iter(fenced[-_MAX_BLOCKS:])
    return iter([text] if _YAML_START.match(text) else [])


class _Brackets:
    """Finds where a broken value ends; the brackets of a text are paired once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing: dict[int, int] | None = None

    def skip(self, start: int, problem_at: int) -> int:
        """Return the end of a broken value, or the next line that begins with a bracket."""
        if self._closing is None:
            self._closing = self._pair()
        if start in self._closing:
            return self._closing[start]
        line = _NEW_VALUE.search(self._text, problem_at)
        return line.start() if line else len(self._text)

    def _pair(self) -> dict[int, int]:
        """Pair brackets, those in strings too: this is a guess about a text that is broken."""
        closing, opened = dict[int, int](), list[int]()
        for match in _BRACKET.finditer(self._text):
            if match[0] in "{[":
                opened.append(match.start())
            elif opened:
                closing[opened.pop()] = match.end()
        return closing
