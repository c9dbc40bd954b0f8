"""Escape text from outside: the one place that makes it harmless.

Between our tags a text is put on one line, and every character that could open or close a tag,
look-alikes included, becomes an entity. In a message of its own a text keeps its lines and code;
only what looks like one of our tags is escaped. Invisible and reordering characters are spelled out
in both cases.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize

from outlast.texts import visible

TAGS: Final = (
    "plan",
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
_OPENING_ESCAPED: Final = str.maketrans(dict.fromkeys(_OPENING, "&lt;"))
_ENTITIES: Final = {
    ord("&"): "&amp;",
    **_OPENING_ESCAPED,
    **dict.fromkeys(map(ord, _CLOSING), "&gt;"),
}
# Invisible although printable: joiners, fillers, variation selectors.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u200c\u200d\u3164"
    "\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_OUR_TAGS: Final = re.compile(
    f"[{_OPENING}](?=[\\s/\uff0f\u2215\u2044]*(?:{'|'.join(TAGS)})(?![\\w-]))", re.IGNORECASE
)
_OPENS: Final = re.compile(f"[{_OPENING}]")
_LAYOUT: Final = re.compile(r"([\n\r\t]+)")
# Approximate maximum of tokens for a character, by its number of bytes.
_TOKENS_BY_BYTES: Final = {1: 1.0, 2: 1.8, 3: 3.0, 4: 4.0}
_COMMON_CHINESE: Final = (b"\xb0", b"\xd8", 1.75)  # the most frequent characters: GB2312 level 1
_LETTER_TOKENS: Final = 0.65  # a letter that continues a word


def escape(value: str, limit: int) -> str:
    """Return a text on one line, truncated to `limit` characters, that opens and closes no tag."""
    cut = value if len(value) <= limit else f"{value[: limit - 1]}…"
    return _neutralize(cut)


def escape_to_tokens(value: str, tokens: int) -> str:
    """Return a text like `escape`, truncated to about `tokens` tokens."""
    remaining, before, pieces = float(tokens), "", list[str]()
    for character in value:
        piece = _neutralize(character)
        remaining -= sum(_token_cost(*pair) for pair in zip(before + piece, piece, strict=False))
        if remaining < 0:
            return f"{''.join(pieces)}…"
        before = piece[-1:]
        pieces.append(piece)
    return "".join(pieces)


def quote(value: str, limit: int) -> str:
    """Return a text with its lines, truncated, for a message of its own."""
    cut = value if len(value) <= limit else f"{value[:limit]}…"
    pieces = _LAYOUT.split(cut)
    shown = "".join(piece if index % 2 else visible(piece) for index, piece in enumerate(pieces))
    if _has_hidden_tags(shown):
        return shown.translate(_OPENING_ESCAPED)
    return _OUR_TAGS.sub("&lt;", shown)


def escape_json(encoded: str) -> str:
    """Return JSON with the same values in which nothing opens a tag and nothing is invisible."""
    if encoded.isprintable() and not _OPENS.search(encoded):
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


def _neutralize(value: str) -> str:
    return visible(value).translate(_ENTITIES)


def _token_cost(before: str, character: str) -> float:
    """Return the approximate maximum of tokens for a character after another."""
    if character == " ":
        return 0.0 if before.isascii() and before.isalnum() else 1.0  # free before a word
    if "a" <= character <= "z" and "a" <= before <= "z":
        return _LETTER_TOKENS
    first, last, common = _COMMON_CHINESE
    known = first <= character.encode("gb2312", "ignore") < last
    apart = 1.0 if before == " " and not character.isascii() else 0.0
    return apart + (common if known else _TOKENS_BY_BYTES[len(character.encode())])
