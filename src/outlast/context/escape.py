"""Escape text from outside: the one place that makes it harmless.

Between our tags a text is put on one line, and every character that could open or close a tag,
look-alikes included, becomes an entity. In a message of its own a text keeps its lines and code;
only what looks like one of our tags is escaped. Invisible and reordering characters are spelled out
in both cases.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate
from math import inf
from typing import Final
from unicodedata import normalize

from outlast.context.tokens import CHARACTERS_OF_TOKEN, estimate_tokens, split_units, unit_tokens
from outlast.language import visible
from outlast.language.lazy_pattern import compile_lazily

TAGS: Final = (
    "plan",
    "brief",
    "existing-plan",
    "current-task",
    "error-history",
    "reminder",
    "three-strike-warning",
    "completion-check",
    "findings-summary",
    "hook-note",
    "check-result",
    "tool_response",  # carries results to a model without native tools
    "tools",
)
_OPENING: Final = "<\uff1c\ufe64\u2039\u276e\u27e8\u2329\u3008\u02c2\u1438\u2770\u29fc"
_CLOSING: Final = ">\uff1e\ufe65\u203a\u276f\u27e9\u232a\u3009\u02c3\u1433\u2771\u29fd"
_OPENING_SET: Final = frozenset(_OPENING)
_OPENING_ESCAPED: Final = str.maketrans(dict.fromkeys(_OPENING, "&lt;"))
_ENTITIES: Final = {
    ord("&"): "&amp;",
    **_OPENING_ESCAPED,
    **dict.fromkeys(map(ord, _CLOSING), "&gt;"),
}
# Invisible although printable: joiners, fillers, variation selectors.
_INVISIBLE: Final = compile_lazily(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u200c\u200d\u3164"
    "\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_OUR_TAGS: Final = compile_lazily(
    f"[{_OPENING}](?=[\\s/\uff0f\u2215\u2044]*(?:{'|'.join(TAGS)})(?![\\w-]))", re.IGNORECASE
)
_LAYOUT: Final = re.compile(r"([\n\r\t]+)")


def escape(value: str, limit: int) -> str:
    """Return a text on one line, truncated to `limit` characters, that opens and closes no tag."""
    cut = value if len(value) <= limit else f"{value[: limit - 1]}…"
    return _neutralize(cut)


def escape_to_tokens(value: str, tokens: float) -> str:
    """Return a text like `escape`, truncated to about `tokens` tokens."""
    return _take_tokens(value, tokens)[0]


def escape_lines(value: str, tokens: float, indent: str = "  ") -> str:
    """Return a text like `escape_to_tokens`, but with its lines; all but the first are indented.

    So none of them can be taken for a line of what surrounds the text. Blank lines are left out.
    """
    remaining, shown = tokens, list[str]()
    for line in filter(str.strip, value.splitlines()):
        piece, remaining = _take_tokens(line.rstrip(), remaining - bool(shown))
        shown.append(piece)
        if remaining < 0:
            break
    return f"\n{indent}".join(shown)


def escape_end(value: str, tokens: float) -> str:
    """Return the end of a text like `escape_lines`, as much of it as has about `tokens` tokens."""
    units = [*split_units(value)]
    sizes = accumulate(estimate_tokens(_neutralize_unit(unit)) for unit in reversed(units))
    count = sum(size <= tokens for size in sizes)
    return escape_lines("".join(units[len(units) - count :]).lstrip(), inf)


def quote(value: str, limit: int) -> str:
    """Return a text with its lines, truncated, for a message of its own."""
    cut = value if len(value) <= limit else f"{value[:limit]}…"
    pieces = _LAYOUT.split(cut)
    shown = "".join(piece if index % 2 else visible(piece) for index, piece in enumerate(pieces))
    if _has_hidden_tags(shown):
        return shown.translate(_OPENING_ESCAPED)
    return _OUR_TAGS.sub("&lt;", shown)


def quote_lines(value: str, limit: int) -> str:
    """Return a text like `quote`, each line behind a `>`: none is taken for one of ours."""
    return "\n".join(f"> {line}".rstrip() for line in quote(value, limit).splitlines())


def quote_one_line(value: str, limit: int) -> str:
    """Return a text like `quote` on one line."""
    return one_line(quote(value, limit), limit)


def escape_json(encoded: str) -> str:
    """Return JSON with the same values in which nothing opens a tag and nothing is invisible."""
    if encoded.isprintable() and _OPENING_SET.isdisjoint(encoded):
        return encoded
    return "".join(
        c if c.isprintable() and c not in _OPENING else _unicode_escape(c) for c in encoded
    )


def one_line(value: str, limit: int) -> str:
    """Return a text on one line, truncated, for people."""
    return visible(value if len(value) <= limit else f"{value[: limit - 1]}…")


def _has_hidden_tags(shown: str) -> bool:
    """Return whether normalizing the text reveals more of our tags than are visible in it."""
    if shown.isascii():
        return False
    bare = normalize("NFKC", _INVISIBLE.sub("", shown))
    return len(_OUR_TAGS.findall(bare)) > len(_OUR_TAGS.findall(shown))


def _unicode_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _take_tokens(value: str, tokens: float) -> tuple[str, float]:
    """Return as much of a text as fits, and how many tokens remain: below 0 if it was cut."""
    longest = CHARACTERS_OF_TOKEN * max(tokens, 1.0)
    if len(value) > longest:
        return _take_tokens(f"{value[: int(longest) - 1]}…", tokens)[0], -1.0
    whole = _neutralize(value)
    if len(whole) <= tokens and whole.isascii():  # no ASCII character has more than one token
        return whole, tokens - len(whole)
    remaining, before, pieces = tokens, "", list[str]()
    is_plain = whole == value
    for unit in split_units(value):
        piece = unit if is_plain else _neutralize_unit(unit)
        remaining -= unit_tokens(before, piece) if piece == unit else estimate_tokens(piece)
        if remaining < 0:
            return f"{''.join(pieces).rstrip()}…", remaining
        before = piece[-1]
        pieces.append(piece)
    return "".join(pieces), remaining


@lru_cache(4_096)
def _neutralize_unit(unit: str) -> str:
    return _neutralize(unit)


def _neutralize(value: str) -> str:
    return visible(value).translate(_ENTITIES)
