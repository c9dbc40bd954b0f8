"""Settings that a program has made, which nobody has looked at yet."""

from __future__ import annotations

from typing import Final

from outlast.config.keys import KEYS, SECTIONS, value_of
from outlast.config.settings import Settings
from outlast.config.values import checked
from outlast.domain.limits import wrong_type
from outlast.errors import InvalidSetting

_WHERE: Final = "settings"
_USUAL: Final = Settings()


def check_settings(given: object) -> None:
    """Accept settings whose values a file could have, too."""
    if not isinstance(given, Settings):
        raise wrong_type(_WHERE, Settings.__name__, given)
    for section in SECTIONS:
        part, usual = getattr(given, section), type(getattr(_USUAL, section))
        if not isinstance(part, usual):
            expected, got = usual.__name__, type(part).__name__
            raise InvalidSetting(
                "setting_wrong", where=_WHERE, key=section, expected=expected, got=got
            )
    for key in KEYS:
        checked(key, value_of(given, key), _WHERE)
