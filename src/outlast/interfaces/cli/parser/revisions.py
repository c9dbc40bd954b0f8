"""How people name revisions: `12` or `r12`, and two of them as `r12..r15`."""

from __future__ import annotations

from outlast.errors import WrongUsage
from outlast.texts import visible


def revision(given: str) -> int:
    """Return the number of a revision."""
    digits = given.removeprefix("r")
    if not (digits.isascii() and digits.isdigit() and len(digits) < len(str(2**53))):
        raise WrongUsage("not_a_revision", given=visible(given))
    return int(digits)


def span(given: str, newest: int) -> tuple[int, int]:
    """Return two revisions; one that is left out is the first, or the newest."""
    old, dots, new = given.partition("..")
    if not dots:
        raise WrongUsage("not_a_span", given=visible(given))
    return revision(old) if old else 1, revision(new) if new else newest
