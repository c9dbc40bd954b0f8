"""What a model says in pieces, without the secrets in it: no piece alone would show them."""

from __future__ import annotations

from typing import Final

from outlast.formats.redact.engine import redact
from outlast.formats.redact.signs import NAME_SIGNS, has_sign, small

_BEGIN: Final = "-----BEGIN"
_END: Final = "-----END"
_FIRST_HALVES: Final = ("akia", "asia")  # of a key whose other half may stand in the next line
_BETWEEN: Final = " \t\r\n\"',:;|"


class Speech:
    """Lets pieces through as they come, until there may be a secret in what is being said.

    Then it waits: for the end of the line, for one line more after a name that secrets have or the
    first half of a key, and for the end of a private key.
    """

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._held = self._told = ""  # from the last line on that is not over; what is out of that

    def add(self, piece: str) -> str:
        """Take a piece; return what can be told now."""
        self._held += piece
        whole, end, rest = self._held.rpartition("\n")
        if not has_sign(self._held):
            told = self._held[len(self._told) :]
            self._held = self._told = rest
            return told
        if "\n" not in piece or _may_go_on(whole):
            return ""
        told = self._safe(whole + end)
        self._held, self._told = rest, ""
        return told + self.add("")

    def end(self) -> str:
        """Return what has not been told yet."""
        told = self._safe(self._held)
        self._held = self._told = ""
        return told

    def _safe(self, said: str) -> str:
        """Return a text without secrets and without the beginning of it that is told already."""
        safe, same = redact(said), 0
        for one, other in zip(safe, self._told, strict=False):
            if one != other:
                break
            same += 1
        return safe[same:]


def _may_go_on(said: str) -> bool:
    """Tell whether there may be a secret that goes on in the line after these."""
    last = small(said.rstrip(_BETWEEN).rpartition("\n")[2])
    is_begun = any(sign in last for sign in (*NAME_SIGNS, *_FIRST_HALVES))
    return is_begun or said.rfind(_BEGIN) > said.rfind(_END)
