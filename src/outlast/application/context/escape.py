"""The one place that makes text from outside harmless.

Between our tags a text stands on one line, and whatever could open or close a tag is spelled as an
entity, look-alikes included. In messages of its own, whose role says where it comes from, a text
keeps its lines and its code; only what looks like one of our tags is spelled so there. Characters
that are not seen, or that reorder what is, are spelled out in both.
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
    "tool_response",  # with which a model is told of results that knows no tools
    "tools",
)
_OPENING: Final = "<\uff1c\ufe64\u2039\u276e\u27e8\u2329\u3008\u02c2\u1438\u2770\u29fc"
_CLOSING: Final = ">\uff1e\ufe65\u203a\u276f\u27e9\u232a\u3009\u02c3\u1433\u2771\u29fd"
_OPENED: Final = str.maketrans(dict.fromkeys(_OPENING, "&lt;"))
_ENTITIES: Final = {ord("&"): "&amp;", **_OPENED, **dict.fromkeys(map(ord, _CLOSING), "&gt;")}
# What nobody sees although it counts as printable: joiners, fillers, selectors of variants.
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u200c\u200d\u3164"
    "\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_OURS: Final = re.compile(
    f"[{_OPENING}](?=[\\s/\uff0f\u2215\u2044]*(?:{'|'.join(TAGS)})(?![\\w-]))", re.IGNORECASE
)
_OPENS: Final = re.compile(f"[{_OPENING}]")
_LAYOUT: Final = re.compile(r"([\n\r\t]+)")
# What a character costs in tokens at most, roughly, by the number of its bytes.
_TOKENS: Final = {1: 1.0, 2: 1.8, 3: 3.0, 4: 4.0}
_COMMON: Final = (b"\xb0", b"\xd8", 1.75)  # the Chinese characters that people write most
_WORD: Final = 0.65  # a letter that goes on with a word


def escape(value: str, longest: int) -> str:
    """Return a text from outside on one line, cut, that opens and closes no tag of ours."""
    cut = value if len(value) <= longest else f"{value[: longest - 1]}…"
    return _harmless(cut)


def within(value: str, tokens: int) -> str:
    """Return a text from outside as `escape` does, cut to about so many tokens at most."""
    left, before, pieces = float(tokens), "", list[str]()
    for character in value:
        piece = _harmless(character)
        left -= sum(_cost(*pair) for pair in zip(before + piece, piece, strict=False))
        if left < 0:
            return f"{''.join(pieces)}…"
        before = piece[-1:]
        pieces.append(piece)
    return "".join(pieces)


def quoted(value: str, longest: int) -> str:
    """Return a text from outside with its lines, cut, as a message of its own can hold it."""
    cut = value if len(value) <= longest else f"{value[:longest]}…"
    pieces = _LAYOUT.split(cut)
    shown = "".join(one if place % 2 else visible(one) for place, one in enumerate(pieces))
    if _is_disguised(shown):
        return shown.translate(_OPENED)
    return _OURS.sub("&lt;", shown)


def in_json(written: str) -> str:
    """Return JSON with the same values in which nothing opens a tag, and nothing is not seen."""
    if written.isprintable() and not _OPENS.search(written):
        return written
    return "".join(c if c.isprintable() and c not in _OPENING else _unit(c) for c in written)


def plain(value: str, longest: int) -> str:
    """Return a text on one line, cut, for people."""
    return visible(value if len(value) <= longest else f"{value[: longest - 1]}…")


def _is_disguised(shown: str) -> bool:
    """Tell whether there are more of our tags in a text than can be seen in its characters."""
    if shown.isascii():
        return False
    bare = normalize("NFKC", _UNSEEN.sub("", shown))
    return len(_OURS.findall(bare)) > len(_OURS.findall(shown))


def _unit(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _harmless(value: str) -> str:
    return visible(value).translate(_ENTITIES)


def _cost(before: str, character: str) -> float:
    """Return about what a character costs behind another, at most."""
    if character == " ":
        return 0.0 if before.isascii() and before.isalnum() else 1.0  # one with a word behind it
    if "a" <= character <= "z" and "a" <= before <= "z":
        return _WORD
    first, last, common = _COMMON
    known = first <= character.encode("gb2312", "ignore") < last
    apart = 1.0 if before == " " and not character.isascii() else 0.0
    return apart + (common if known else _TOKENS[len(character.encode())])
