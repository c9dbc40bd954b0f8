"""From a plan's key to a directory name: safe, readable, and never the same for two keys."""

from __future__ import annotations

import re
from typing import Final

from outlast.errors import InvalidArgument

_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
_LONGEST: Final = 120
_SPELLED: Final = b"%([0-9a-f]{2})"


def directory_name(key: str) -> str:
    """Return the name of a key's directory.

    Capitals are spelled out too, since some file systems do not tell them from small letters, and
    so is a dot at the end, which some leave out. A tilde, which stands in no short name, separates
    the digest that ends a long one.
    """
    if not key:
        raise InvalidArgument("name_blank", argument="key")
    name = "".join(c if c in _PLAIN else _spelled(c) for c in key)
    if name[0] in ".-":
        name = _spelled(name[0]) + name[1:]
    if name[-1] == ".":
        name = name[:-1] + _spelled(".")
    if len(name) <= _LONGEST:
        return name
    from hashlib import sha256  # costs as much as all else here

    return f"{name[: _LONGEST - 65]}~{sha256(key.encode(errors='surrogatepass')).hexdigest()}"


def key_of(name: str) -> str:
    """Return the key of a directory; nothing for a name that is no key's, or too long to tell."""
    try:
        spelled = name.encode()
        key = (re.sub(_SPELLED, _unspelled, spelled) if b"%" in spelled else spelled).decode()
        return key if directory_name(key) == name else ""
    except (InvalidArgument, UnicodeError):
        return ""


def _unspelled(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode())


def _spelled(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode(errors="surrogatepass"))
