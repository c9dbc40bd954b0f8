"""A line that a person types, key by key."""

from __future__ import annotations

import codecs
from typing import Final
from unicodedata import combining

_ENTER: Final = "\r\n"
_ERASE: Final = "\x08\x7f"
_END_OF_INPUT: Final = "\x04"  # Ctrl-D
_KILL: Final = "\x15"  # Ctrl-U
_ERASE_WORD: Final = "\x17"  # Ctrl-W
_ESCAPE: Final = "\x1b"
_CHARACTERS: Final = 4_000  # of an answer; more is dropped


class TypedLine:
    """What has been typed so far; the keys that move the cursor do nothing."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.text = ""
        self.is_ended = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._escape = ""

    def feed(self, keys: bytes) -> None:
        """Add what a terminal delivers; what comes after the end of the line is dropped."""
        for character in self._decoder.decode(keys):
            if not self.is_ended:
                self._type(character)

    def _type(self, character: str) -> None:
        if self._escape:
            self._skip_escape(character)
        elif character == _ESCAPE:
            self._escape = character
        elif character in _ENTER or (character == _END_OF_INPUT and not self.text):
            self.is_ended = True
        elif character in _ERASE:
            self._erase()
        elif character == _KILL:
            self.text = ""
        elif character == _ERASE_WORD:
            head, _, _ = self.text.rstrip().rpartition(" ")
            self.text = f"{head} " if head else ""
        elif character.isprintable() and len(self.text) < _CHARACTERS:
            self.text += character

    def _erase(self) -> None:
        """Take the last character back, with the marks that belong to it."""
        text = self.text
        while text and combining(text[-1]):
            text = text[:-1]
        self.text = text[:-1]

    def _skip_escape(self, character: str) -> None:
        """Leave an escape sequence at its last character, such as that of an arrow key."""
        self._escape += character
        is_long = self._escape[1] in "[O"
        if not is_long or (len(self._escape) > len("\x1b[") and "@" <= character <= "~"):
            self._escape = ""
