"""Find and read JSON as models write it: repair its form, never its values.

It is found in fences, in prose, and after a model's thoughts.

Accepted beyond JSON: trailing commas, a newline in place of a comma, single, typographic and triple
quotes, keys without quotes, `True`, `False` and `None`, comments, raw line breaks in strings,
closing brackets that are missing at the end. A fence or a closing tag ends the text.

Refused: keys that occur twice, NaN and infinite numbers, values without quotes, strings that do not
end, a comma at the end of the text (more was to follow), what is too deep or too long.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.documents.contracts.problems import BrokenText, Problem, child_path
from outlast.documents.json.reader import DECODER
from outlast.errors import InvalidDocument

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARACTERS: Final = 1024 * 1024
MAX_DEPTH: Final = 64
_SPACE: Final = re.compile(r"(?:[\s\ufeff]++|//[^\n]*+|#[^\n]*+|/\*(?s:.*?)\*/)*+")
_END: Final = re.compile(r"```|</|\Z")
_BARE: Final = re.compile(r"[+\-.]?[^\W\d][\w-]*+|[+-]?[\d.][\w.+-]*+")
_KEY: Final = re.compile(r"[^\W\d][\w-]*+")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: Final[dict[str, bool | None]] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_NOT_FINITE: Final = frozenset(
    f"{sign}{word}" for sign in ("", "-", "+") for word in ("NaN", "nan", "Infinity", "inf")
)
# The end of a string in single quotes stands before punctuation: it's not the apostrophe.
_QUOTED: Final = {
    '"""': re.compile(r'"""((?:[^"\\]++|\\(?s:.)|"(?!""))*+)"""'),
    '"': re.compile(r'"((?:[^"\\]++|\\(?s:.))*+)"'),
    "'": re.compile(r"'((?:[^'\\]++|\\(?s:.)|'(?!\s*+(?:[,:}\])]|\Z)))*+)'"),
    "\u201c": re.compile("[\u201c\u201d]((?:[^\u201c\u201d\\\\]++|\\\\(?s:.))*+)[\u201c\u201d]"),
    "\u2018": re.compile(
        "[\u2018\u2019]((?:[^\u2019\\\\]++|\\\\(?s:.)|\u2019(?!\\s*+(?:[,:}\\])]|\\Z)))*+)\u2019"
    ),
}
_QUOTED["\u201d"], _QUOTED["\u2019"] = _QUOTED["\u201c"], _QUOTED["\u2018"]
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|(?s:.))")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_GOES_ON: Final = (",", ":", "}", "]", '"')
_KEPT: Final = "\"'\\/"

_MAX_CANDIDATES: Final = 200
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


def read_json(text: str, at: int = 0, *, closed: bool = False) -> tuple[Any, int]:
    """Return the value that begins at an offset, and where it ends; raise `BrokenText`.

    If it must be `closed`, no bracket may be missing: a text that was cut is not the whole value.
    """
    if len(text) > MAX_CHARACTERS:
        raise BrokenText(Problem("contract_too_long", details={"limit": MAX_CHARACTERS}), at)
    try:
        value, end = DECODER.raw_decode(text, at)
    except (ValueError, RecursionError, InvalidDocument):
        return _Reader(text, closed=closed).read_whole(at)
    is_plain = _is_plain(value, MAX_DEPTH)
    return (value, end) if is_plain else _Reader(text, closed=closed).read_whole(at)


def _is_plain(value: Any, depth: int) -> bool:  # noqa: ANN401 - any JSON
    """Return whether a decoded value is in bounds and has no lone surrogates."""
    if type(value) is str:
        return value.isascii() or not _has_surrogate(value)
    if type(value) is dict:
        return depth > 0 and all(
            _is_plain(key, 1) and _is_plain(item, depth - 1) for key, item in value.items()
        )
    return type(value) is not list or (
        depth > 0 and all(_is_plain(item, depth - 1) for item in value)
    )


def _has_surrogate(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


class _Reader:
    """Reads one value; `_path` holds the keys and indexes down to the place being read."""

    def __init__(self, text: str, *, closed: bool) -> None:
        self._text, self._closed = text, closed
        self._path: list[str | int] = []
        self._is_closed_early = False

    def read_whole(self, at: int) -> tuple[Any, int]:
        """Read the outermost value; brackets may be missing only where nothing follows."""
        value, end = self.read(at)
        if self._is_closed_early and self._text[(after := self._skip(end)) : after + 1] in _GOES_ON:
            raise self._error("contract_expected", after, expected="] }")
        return value, end

    def read(self, at: int) -> tuple[Any, int]:
        at = self._skip(at)
        start = self._text[at : at + 1]
        if start == "{":
            return self._read_object(at + 1)
        if start == "[":
            return self._read_array(at + 1)
        if start in _QUOTED:
            return self._read_string(at)
        return self._read_bare(at)

    def _read_object(self, at: int) -> tuple[dict[str, Any], int]:
        self._require_depth(at)
        fields: dict[str, Any] = {}
        while (end := self._close(at, "}")) is None:
            start = self._skip(at)
            key, at = self._read_key(start)
            if key in fields:
                raise self._error("contract_twice", start, key=key)
            self._path.append(key)
            at = self._skip(at)
            if self._text[at : at + 1] not in (":", "\uff1a"):
                raise self._error("contract_expected", at, expected=":")
            fields[key], at = self.read(at + 1)
            self._path.pop()
            at = self._separate(at, "}")
        return fields, end

    def _read_array(self, at: int) -> tuple[list[Any], int]:
        self._require_depth(at)
        items: list[Any] = []
        while (end := self._close(at, "]")) is None:
            self._path.append(len(items))
            item, at = self.read(at)
            self._path.pop()
            items.append(item)
            at = self._separate(at, "]")
        return items, end

    def _close(self, at: int, bracket: str) -> int | None:
        """Return where a container ends if it ends here: at its bracket, or without one.

        Without one it ends at the end of the text, and before the bracket of an outer container.
        """
        at = self._skip(at)
        if self._text[at : at + 1] == bracket:
            return at + 1
        outer, key = ("}", str) if bracket == "]" else ("]", int)
        is_outer = self._text[at : at + 1] == outer and any(type(one) is key for one in self._path)
        if not is_outer and not _END.match(self._text, at):
            return None
        if self._closed:
            raise self._error("contract_expected", at, expected=bracket)
        self._is_closed_early = self._is_closed_early or is_outer
        return at

    def _separate(self, at: int, bracket: str) -> int:
        """Return where the next item begins: after a comma, or on a new line."""
        after = self._skip(at)
        if self._text[after : after + 1] in (",", "\uff0c"):
            if self._skip(after + 1) == len(self._text):
                raise self._error("contract_value_missing", after + 1)
            return after + 1
        if self._close(after, bracket) is None and "\n" not in self._text[at:after]:
            raise self._error("contract_expected", after, expected=f", {bracket}")
        return after

    def _read_key(self, at: int) -> tuple[str, int]:
        if self._text[at : at + 1] in _QUOTED:
            return self._read_string(at)
        match = _KEY.match(self._text, at)
        if match is None:
            raise self._error("contract_expected", at, expected='"')
        return match[0], match.end()

    def _read_string(self, at: int) -> tuple[str, int]:
        opening = '"""' if self._text.startswith('"""', at) else self._text[at]
        match = _QUOTED[opening].match(self._text, at)
        if match is None:
            raise self._error("contract_torn", at)
        content = _ESCAPE.sub(self._unescape, match[1]) if "\\" in match[1] else match[1]
        if not content.isascii():
            try:
                content = content.encode("utf-16", "surrogatepass").decode("utf-16")
            except UnicodeDecodeError:
                raise self._error("contract_surrogate", at) from None
        return content, match.end()

    def _unescape(self, escape: re.Match[str]) -> str:
        """Return an escaped character; an escape that JSON does not have stays as it is."""
        character = escape[1]
        if len(character) > 1:
            return chr(int(character[1:], 16))
        return character if character in _KEPT else _ESCAPED.get(character, escape[0])

    def _read_bare(self, at: int) -> tuple[Any, int]:
        match = _BARE.match(self._text, at)
        if match is None:
            raise self._error("contract_value_missing", at)
        word = match[0]
        if word in _WORDS:
            return _WORDS[word], match.end()
        number = _NUMBER.fullmatch(word)
        if word in _NOT_FINITE or (number and math.isinf(float(word))):
            raise self._error("contract_not_finite", at)
        if number is None:
            raise self._error("contract_unquoted", at)
        return (float(word) if number[1] or number[2] else int(word)), match.end()

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def _require_depth(self, at: int) -> None:
        if len(self._path) >= MAX_DEPTH:
            self._path.clear()  # the path would be longer than the message
            raise self._error("contract_too_deep", at, limit=MAX_DEPTH)

    def _error(self, text: str, at: int, **details: object) -> BrokenText:
        path = ""
        for key in self._path:
            path = child_path(path, key)
        line = self._text.count("\n", 0, at) + 1
        return BrokenText(Problem(text, path, {"line": line, **details}), at)


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
    for _ in range(_MAX_CANDIDATES):
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
