"""The settings by their dotted names, as files, the environment and arguments spell them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from msgspec import Struct, structs

from outlast.config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator


def _walked(kind: type[Struct], before: str = "") -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        name = f"{before}{field.name}"
        if isinstance(field.type, type) and issubclass(field.type, Struct):
            yield from _walked(field.type, f"{name}.")
        else:
            yield name, hints[field.name]


KEYS: Final[dict[str, Any]] = dict(_walked(Settings))
SECTIONS: Final = frozenset(key.partition(".")[0] for key in KEYS if "." in key)


def nearest(key: str) -> str:
    """Return the setting whose name is most like this one."""
    found: list[str] = get_close_matches(key[:100], list(KEYS), 1, 0)
    return found[0]


def value_of(settings: Settings, key: str) -> Any:  # noqa: ANN401 - of any setting
    """Return what a setting is."""
    found: Any = settings
    for name in key.split("."):
        found = getattr(found, name)
    return found
