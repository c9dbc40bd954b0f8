"""Keys of plans: new ones made from a goal, and the directory name of each key."""

from __future__ import annotations

import re
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Iterable

# Directory names

_LONGEST: Final = 120  # bytes; the archive adds a time and a layout
_DIGITS: Final = 40  # of a digest, hexadecimal: too many for a collision on purpose
_CAPITALS: Final = "~c"  # not `~` and a number, as in the short names of Windows
_RESERVED: Final = r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9]) *(?:\.|\Z)"  # on Windows
_SAFE: Final = re.compile(
    rf"(?!{_RESERVED})[a-z0-9_](?:[a-z0-9_.@+=, -]{{0,{_LONGEST - 2}}}[a-z0-9_@+=,-])?"
)
_SAFE_MARKS: Final = frozenset("_-.@+=, ")
_UNSAFE_FIRST: Final = frozenset("-. ")
_UNSAFE_LAST: Final = frozenset(". ")
_ESCAPES: Final = r"%([0-9a-f]{2})"
_TAG: Final = r"~[c0-9a-f]+\Z"
_IGNORED: Final = frozenset(  # letters and accents that some file systems leave out
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d" + "".join(map(chr, range(0xFE00, 0xFE10)))
)


def directory_name(key: str) -> str:
    """Return the directory name of a key. Two keys never share one, on any file system.

    A safe key is its own name. Other ASCII marks are escaped (`telegram%3a123`). After capitals
    follows a bit mask of them (`UserService~c11`), since some file systems ignore case. A key that
    is too long or has other characters becomes its readable part and a digest.
    """
    if _SAFE.fullmatch(key):
        return key
    if not key:
        raise InvalidArgument("name_blank", argument="key")
    text = _escape_marks(key)
    small = text.lower()
    if text.isascii() or _is_distinct(text, small):
        mask = sum(1 << n for n, c in enumerate(text) if c != small[n])
        name = f"{text}{_CAPITALS}{mask:x}" if mask else text
        if len(name.encode()) <= _LONGEST:
            return name
    return _name_with_digest(key)


def key_of(name: str) -> str:
    """Return the key of a directory name; empty if the name does not tell it."""
    if _SAFE.fullmatch(name):
        return name
    name = nfc(name)
    key = re.sub(_ESCAPES, lambda match: chr(int(match[1], 16)), re.sub(_TAG, "", name))
    return key if key and directory_name(key) == name else ""


def nfc(name: str) -> str:
    """Return a name in the normal form of keys; some file systems return another form."""
    if name.isascii():
        return name
    from unicodedata import normalize  # imported late: most names are ASCII

    return normalize("NFC", name)


def _escape_marks(key: str) -> str:
    """Escape unsafe ASCII characters, and the first character of a name reserved on Windows."""
    characters = [
        c if c in _SAFE_MARKS or c.isalnum() or not c.isascii() else _escape(c) for c in key
    ]
    if key[0] in _UNSAFE_FIRST or re.match(_RESERVED, key):
        characters[0] = _escape(key[0])
    if key[-1] in _UNSAFE_LAST:
        characters[-1] = _escape(key[-1])
    return "".join(characters)


def _escape(character: str) -> str:
    return f"%{ord(character):02x}"


def _is_distinct(text: str, small: str) -> bool:
    """Return whether no other text is the same for a file system, apart from capitals."""
    from unicodedata import normalize

    return (
        len(small) == len(text)
        and all(c in (s, s.upper()) for c, s in zip(text, small, strict=True))
        and all(_category(c) in _WORD for c in text if not c.isascii())
        and _category(text[0]) != _ACCENT
        and normalize("NFC", text) == text
        and normalize("NFKC", normalize("NFD", small).upper().casefold()) == small
    )


def _name_with_digest(key: str) -> str:
    from hashlib import sha256  # imported late: it is slow to load

    digest = sha256(key.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
    readable = "-".join(_words(nfc(key[:_LONGEST]))) or "key"
    cut = readable.encode()[: _LONGEST - 1 - _DIGITS].decode(errors="ignore")
    return f"{cut}~{digest}"


# New keys

_WORDS: Final = 4
_COLUMNS: Final = 24
_GOAL_CHARACTERS: Final = 400
_NO_WORDS: Final = "plan"
_APOSTROPHES: Final = str.maketrans("", "", "'\u2019")


def unused_key(goal: str, names: Iterable[str]) -> str:
    """Make a key of the first words of a goal, and a number if its directory name is used."""
    used = {nfc(name).casefold() for name in names}
    key = _first_words(goal[:_GOAL_CHARACTERS])
    candidates = chain((key,), (f"{key}-{number}" for number in count(2)))
    return next(key for key in candidates if directory_name(key).casefold() not in used)


def _first_words(goal: str) -> str:
    """Return the first words of a goal as a key such as `ship-the-thing`."""
    first, *others = _words(_fold(goal.translate(_APOSTROPHES)))[:_WORDS] or [_NO_WORDS]
    key = _cut(first)
    for word in others:
        longer = f"{key}-{word}"
        if _columns(longer) > _COLUMNS:
            break
        key = longer
    return key if any(map(str.isalpha, key)) else _NO_WORDS


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    return normalize("NFKC", normalize("NFKC", text).casefold())


def _cut(word: str) -> str:
    """Cut a long word, but not between a letter and its accents."""
    end = len(word)
    while _columns(word[:end]) > _COLUMNS:
        end -= 1
    while _category(word[end : end + 1]) == _ACCENT and end > 1:
        end -= 1
    return word[:end]


def _columns(text: str) -> int:
    """Return how long a key is for the eye: a Chinese character counts as two."""
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


# Words

_ACCENT: Final = "M"
_WORD: Final = frozenset(("L", "N", _ACCENT))


def _words(text: str) -> list[str]:
    """Return the words of a text: letters and digits of all scripts, with their accents."""
    letters = "".join(c if _category(c) in _WORD else " " for c in text)
    return [word for word in letters.split() if _category(word[0]) != _ACCENT]


def _category(character: str) -> str:
    """Return the kind of a character: a letter, a number, an accent, or empty for others.

    That is its general category in one fixed version of Unicode, so that names stay the same in
    all versions of Python.
    """
    if character.isascii():
        return "L" if character.isalnum() else ""
    if character in _IGNORED:
        return ""
    from unicodedata import ucd_3_2_0

    return ucd_3_2_0.category(character)[0]
