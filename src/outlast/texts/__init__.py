"""Everything people read, in English and Chinese, looked up by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from outlast.errors import OutlastError
from outlast.texts.en import TEXTS as EN

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN: Final = 20

Language = Literal["en", "zh"]


def catalogue(language: Language) -> Mapping[str, str]:
    """Return all texts of a language."""
    if language == "zh":
        from outlast.texts.zh import TEXTS as ZH

        return ZH
    return EN


def text(key: str, language: Language = "en", **values: object) -> str:
    """Return a text with the values filled in."""
    template = EN[key] if language == "en" else catalogue(language)[key]
    if not values:
        return template
    for name, value in values.items():
        if type(value) is list:
            values[name] = _shown(value)
    return template.format_map(values)


def explain(error: OutlastError, language: Language = "en") -> str:
    """Fill the words for an error into it, and return them."""
    error.message = text(error.text, language, **error.details)
    return error.message


class Explaining:
    """A `with` block that fills the words into every error of ours that leaves it."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Explain the error, if it is one of ours, and let it go on."""
        if isinstance(error, OutlastError) and not error.message:
            explain(error)


EXPLAINING: Final = Explaining()


def visible(value: str) -> str:
    """Return a text in which control characters and other invisible ones are spelled out."""
    if value.isprintable():
        return value
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)


def _shown(values: list[object]) -> str:
    shown = ", ".join(map(str, values[:_SHOWN]))
    return f"{shown}, …" if len(values) > _SHOWN else shown
