"""Everything people read, in English and Chinese, looked up by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from outlast.errors import OutlastError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHOWN: Final = 20
_JOINERS: Final = "\u200c\u200d"  # scripts and emoji are spelled with them

Language = Literal["en", "zh"]

_READ: Final[dict[Language, Mapping[str, str]]] = {}


def catalogue(language: Language) -> Mapping[str, str]:
    """Return the texts of a language that every command may need, read when one is first said."""
    if language not in _READ:
        if language == "zh":
            from outlast.texts.zh import TEXTS as ZH

            _READ[language] = ZH
        else:
            from outlast.texts.en import TEXTS as EN

            _READ[language] = EN
    return _READ[language]


def more(language: Language) -> Mapping[str, str]:
    """Return the other texts of a language, which only an agent at work needs."""
    if language == "zh":
        from outlast.texts.more_zh import TEXTS as MORE_ZH

        return MORE_ZH
    from outlast.texts.more_en import TEXTS as MORE_EN

    return MORE_EN


def text(key: str, language: Language = "en", /, **values: object) -> str:
    """Return a text with the values filled in."""
    texts = _READ.get(language) or catalogue(language)
    template = texts.get(key)
    if template is None:
        template = more(language)[key]
    if not values:
        return template
    for name, value in values.items():
        kind = type(value)
        if kind is list:
            values[name] = _joined(value, language)  # type: ignore[arg-type]
        elif kind is not str and kind is not int and isinstance(value, OutlastError):
            values[name] = explain(value, language)
    return template.format_map(values)


def explain(error: OutlastError, language: Language = "en") -> str:
    """Fill the words for an error into it, and return them."""
    details = {
        name: _type_words(value, language) if name in ("expected", "got") else value
        for name, value in error.details.items()
    }
    if "status" in details:
        details["status"] = status_words(str(details["status"]), language)
    if "failed" in details:
        details["shows"] = _shown(error.details["failed"], language)
    error.message = text(error.text, language, **details)
    return error.message


def spoken(says: str, language: Language = "en") -> str:
    """Return in words what a check said in short, such as `exit 1` or `missing`."""
    word, _, value = says.partition(" ")
    template = catalogue(language).get(f"said_{word}")
    return says if template is None else template.format_map({"value": value})


def status_words(status: str, language: Language = "en") -> str:
    """Return the status of a plan, a phase or a task in words."""
    return catalogue(language).get(f"status_{status}", status)


def _shown(failed: object, language: Language) -> object:
    """Return the checks that failed, each with what it said."""
    if type(failed) is not list:
        return failed
    return [f"{one['rule']}: {spoken(one['says'], language)}" for one in failed]


def _type_words(value: object, language: Language) -> object:
    words = catalogue(language)
    if type(value) is list:
        return [_type_words(one, language) for one in value]
    return words.get(f"type_{value}", value)


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
    """Return a text in which control characters, bidi marks and the like are spelled out."""
    if value.isprintable():
        return value
    from unicodedata import category

    return "".join(
        c
        if c.isprintable() or c in _JOINERS or category(c) == "Zs"
        else c.encode("unicode_escape").decode()
        for c in value
    )


def clauses(parts: Iterable[str], language: Language = "en") -> str:
    """Return several things that are said in one line."""
    return ("\uff1b" if language == "zh" else "; ").join(parts)


def _joined(values: list[object], language: Language) -> str:
    if not values:
        return catalogue(language)["nothing"]
    comma = "、" if language == "zh" else ", "
    shown = comma.join(map(str, values[:_SHOWN]))
    return f"{shown}{comma}…" if len(values) > _SHOWN else shown
