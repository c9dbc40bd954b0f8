"""Sanitize what a model server sends: valid text, finite numbers, no API key."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any, Final

from outlast.documents.contracts.lenient_json import read_object
from outlast.documents.contracts.problems import BrokenText
from outlast.errors import ModelFailed
from outlast.language import visible
from outlast.redact.secrets import REDACTED, redact

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_PROBLEM: Final = 300
_MIN_KEY: Final = 6  # removing a shorter one would tear words apart


def clean_text(text: object, key: str) -> str:
    """Replace lone surrogates and remove the API key."""
    if not isinstance(text, str):
        raise ModelFailed("model_garbled", model="", problem=type(text).__name__)
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return remove_key(text, key)


def remove_key(text: str, key: str) -> str:
    """Replace the key in a text."""
    return text.replace(key, REDACTED) if len(key) >= _MIN_KEY else text


class KeyFilter:
    """Removes the key from streamed text, even if it is split over pieces."""

    def __init__(self, key: str, emit: Callable[[str], object]) -> None:
        """Take the key and the receiver of the filtered text."""
        self._key, self._emit, self._pending = key, emit, ""

    def add(self, piece: str) -> None:
        """Pass a piece on, except an end that may be the start of the key."""
        text = remove_key(self._pending + clean_text(piece, ""), self._key)
        ready = len(text) - self._key_prefix_length(text)
        self._pending = text[ready:]
        if ready:
            self._emit(text[:ready])

    def flush(self) -> None:
        """Emit the pending end of the text."""
        if self._pending:
            self._emit(self._pending)

    def _key_prefix_length(self, text: str) -> int:
        """Return how many characters at the end of a text are a prefix of the key."""
        if len(self._key) < _MIN_KEY:
            return 0
        most = min(len(self._key) - 1, len(text))
        return next((n for n in range(most, 0, -1) if self._key.startswith(text[-n:])), 0)


def clean_params(given: object, key: str) -> dict[str, Any] | None:
    """Read the arguments of a call; None unless they are, or can be repaired to, a JSON object."""
    try:
        encoded = given if isinstance(given, str) else dumps(given or {}, allow_nan=False)
        return read_object(remove_key(encoded, key).strip() or "{}")
    except (BrokenText, TypeError, ValueError, RecursionError):
        return None


def describe_problem(problem: object, key: str) -> str:
    """Return the message of a server's error, redacted and truncated."""
    return visible(redact(remove_key(str(_error_message(problem)), key)))[:_MAX_PROBLEM]


def _error_message(problem: object) -> object:
    for name in ("error", "message"):
        if isinstance(problem, dict) and problem.get(name):
            problem = problem[name]
    return problem
