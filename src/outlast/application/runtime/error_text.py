"""What went wrong, in words that a model can use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import OutlastError
from outlast.texts import explain

if TYPE_CHECKING:
    from outlast.texts import Language

_CHARACTERS: Final = 2_000


def words(error: Exception, language: Language = "en") -> str:
    """Say what went wrong; what others raise may have words of its own, or none."""
    if not isinstance(error, OutlastError):
        return _spelled(error)
    try:
        return sayable(explain(error, language))
    except (LookupError, TypeError):  # it is not one of our texts
        return sayable(error.text)


def _spelled(error: Exception) -> str:
    kind = type(error).__name__
    try:
        return sayable(f"{kind}: {error}"[:_CHARACTERS])
    except Exception:  # noqa: BLE001 - which the error itself raises
        return kind


def sayable(output: object) -> str:
    """Return what came of something as a text that can be kept and sent on."""
    return str(output).encode(errors="backslashreplace").decode()
