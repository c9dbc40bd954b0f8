"""Redact a stream of text, in which a secret may be split over several pieces."""

from __future__ import annotations

from typing import Final

from outlast.redact.hints import NAME_HINTS, has_form_hint, has_name_hint, lowercase
from outlast.redact.secrets import redact

_BEGIN: Final = "-----BEGIN"
_END: Final = "-----END"
_FIRST_HALVES: Final = ("akia", "asia")  # of a key whose other half may stand in the next line
_BETWEEN: Final = " \t\r\n\"',:;|"


class StreamRedactor:
    """Releases pieces as they come, and holds them back while they may contain a secret.

    It waits for the end of the line, for one line more after the name of a secret or the first
    half of a key, and for the end of a private key.
    """

    def __init__(self) -> None:
        """Start with an empty stream."""
        self._pending = ""  # lines that are not finished
        self._released = ""  # the part of these that was returned already

    def add(self, piece: str) -> str:
        """Add a piece; return the text that can be released now."""
        self._pending += piece
        whole, end, rest = self._pending.rpartition("\n")
        if not (has_form_hint(self._pending) or has_name_hint(lowercase(self._pending))):
            text = self._pending[len(self._released) :]
            self._pending = self._released = rest
            return text
        if "\n" not in piece or _may_continue(whole):
            return ""
        text = self._redact(whole + end)
        self._pending, self._released = rest, ""
        return text + self.add("")

    def flush(self) -> str:
        """Return the rest at the end of the stream."""
        text = self._redact(self._pending)
        self._pending = self._released = ""
        return text

    def _redact(self, text: str) -> str:
        """Redact a text and drop the beginning of it that is already released."""
        safe, same = redact(text), 0
        for new, old in zip(safe, self._released, strict=False):
            if new != old:
                break
            same += 1
        return safe[same:]


def _may_continue(text: str) -> bool:
    """Return whether a secret may continue in the next line."""
    last = lowercase(text.rstrip(_BETWEEN).rpartition("\n")[2])
    is_begun = any(sign in last for sign in (*NAME_HINTS, *_FIRST_HALVES))
    return is_begun or text.rfind(_BEGIN) > text.rfind(_END)
