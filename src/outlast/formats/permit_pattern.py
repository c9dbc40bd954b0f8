"""Patterns of what is allowed without asking: `path:/data/**`, `bash:git push`, `bash`.

A path is allowed by a pattern of it, and by one of a directory above it. Anything else is allowed
by the words it begins with. A name alone allows all that a tool asks for, `path` all paths.
"""

from __future__ import annotations

from shlex import split
from typing import Final

from outlast.formats.path_pattern import fits, names_of

_PATH: Final = "path"


def permits(pattern: str, wanted: str) -> bool:
    """Tell whether a pattern allows what is wanted, such as `path:/data/a.csv`."""
    name, colon, rest = pattern.partition(":")
    kind, _, what = wanted.partition(":")
    if name != kind:
        return False
    if not colon:
        return True
    return _leads_to(rest, what) if kind == _PATH else _begins(rest, what)


def _leads_to(pattern: str, path: str) -> bool:
    names, parts = names_of(path), names_of(pattern)
    return pattern.startswith("/") and (fits(names, parts) or fits(names, (*parts, "**")))


def _begins(beginning: str, what: str) -> bool:
    """Compare word by word, so that `rm -r a` does not allow `rm -r abc`."""
    try:
        words, wanted = split(beginning), split(what)
    except ValueError:  # an open quote: nobody can say what its words are
        return beginning == what
    return bool(words) and wanted[: len(words)] == words
