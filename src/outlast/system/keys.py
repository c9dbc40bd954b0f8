"""Keys of plans: their directory names, which are safe, readable and unique, and new keys."""

from __future__ import annotations

import os
import re
from typing import Final

from outlast.errors import InvalidArgument

_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
_LONGEST: Final = 120
_ESCAPED: Final = b"%([0-9a-f]{2})"


def directory_name(key: str) -> str:
    """Return the directory name of a key.

    Capitals are escaped, because some file systems do not tell them from small letters, and so is a
    final dot, which some drop. A long name ends in a digest after a tilde, which no short name has.
    """
    if not key:
        raise InvalidArgument("name_blank", argument="key")
    name = "".join(c if c in _PLAIN else _escape(c) for c in key)
    if name[0] in ".-":
        name = _escape(name[0]) + name[1:]
    if name[-1] == ".":
        name = name[:-1] + _escape(".")
    if len(name) <= _LONGEST:
        return name
    from hashlib import sha256  # imported late: it is slow to load

    return f"{name[: _LONGEST - 65]}~{sha256(key.encode(errors='surrogatepass')).hexdigest()}"


def key_of(name: str) -> str:
    """Return the key of a directory name; empty if it is no key's, or one with a digest."""
    try:
        escaped = name.encode()
        key = (re.sub(_ESCAPED, _unescape, escaped) if b"%" in escaped else escaped).decode()
        return key if directory_name(key) == name else ""
    except (InvalidArgument, UnicodeError):
        return ""


def _unescape(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode())


def _escape(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode(errors="surrogatepass"))


_WORDS: Final = 4
_LETTERS: Final = 16
_GOAL_CHARACTERS: Final = 400


def new_key(goal: str) -> str:
    """Return a key of the first words of a goal and a random suffix, such as `add-oauth-3f2`."""
    words = [word[:_LETTERS] for word in _to_ascii_words(goal[:_GOAL_CHARACTERS]).split()[:_WORDS]]
    return "-".join([*(words or ["plan"]), os.urandom(2).hex()[:3]])


def _to_ascii_words(text: str) -> str:
    """Return a text with only small ASCII letters, digits and spaces."""
    if not text.isascii():
        text = _strip_accents(text)
    joined = text.lower().replace("'", "")
    return "".join(c if c.isascii() and c.isalnum() else " " for c in joined)


def _strip_accents(text: str) -> str:
    from unicodedata import combining, normalize

    apart = normalize("NFKD", text.replace("\u2019", "'"))
    return "".join(c for c in apart if not combining(c))
