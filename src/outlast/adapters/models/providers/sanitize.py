"""What comes from a model's server, made fit to be kept: valid, finite, without our keys."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, ValidationError, json

from outlast.errors import ModelFailed
from outlast.formats.redact.engine import REDACTED, redact
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Callable

_PROBLEM: Final = 300
_SHORTEST_KEY: Final = 6  # what is shorter protects nothing, and would tear words apart


def clean_text(text: object, key: str) -> str:
    """Return a text without half characters, and without the key it was asked for with."""
    if not isinstance(text, str):
        raise ModelFailed("model_garbled", model="", problem=type(text).__name__)
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return without_key(text, key)


def without_key(text: str, key: str) -> str:
    """Return a text in which a key is not to be seen."""
    return text.replace(key, REDACTED) if len(key) >= _SHORTEST_KEY else text


class Pieces:
    """Passes on what a server says in pieces, without the key, which may come in several."""

    def __init__(self, key: str, tell: Callable[[str], object]) -> None:
        """Take the key that the server was asked for with, and who is told."""
        self._key, self._tell, self._held = key, tell, ""

    def add(self, piece: str) -> None:
        """Take a piece; its end is held back while the key may begin there."""
        said = without_key(self._held + clean_text(piece, ""), self._key)
        out = len(said) - self._begun(said)
        self._held = said[out:]
        if out:
            self._tell(said[:out])

    def end(self) -> None:
        """Pass on what is left."""
        if self._held:
            self._tell(self._held)

    def _begun(self, said: str) -> int:
        """Return with how many characters at the end of a text the key may begin."""
        if len(self._key) < _SHORTEST_KEY:
            return 0
        most = min(len(self._key) - 1, len(said))
        return next((n for n in range(most, 0, -1) if self._key.startswith(said[-n:])), 0)


def clean_params(given: object, key: str) -> dict[str, Any] | None:
    """Return what a tool is called with: a JSON object, all numbers finite; None if it is none."""
    try:
        written = given if isinstance(given, str) else dumps(given or {}, allow_nan=False)
        return json.decode(without_key(written, key) or "{}", type=dict[str, Any])
    except (DecodeError, ValidationError, TypeError, ValueError, RecursionError):
        return None


def problem_words(said: object, key: str) -> str:
    """Return what a server said about an error, short and without secrets."""
    return visible(redact(without_key(str(_message(said)), key)))[:_PROBLEM]


def _message(said: object) -> object:
    for name in ("error", "message"):
        if isinstance(said, dict) and said.get(name):
            said = said[name]
    return said
