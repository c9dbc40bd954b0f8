"""Which language a person reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.texts import Language


LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")


def language(chosen: str | None, environment: Mapping[str, str] = os.environ) -> Language:
    """Return the language of `--lang`, else of OUTLAST_LANG, else of the system's locale."""
    named = chosen or environment.get("OUTLAST_LANG")
    if not named:
        settings = ("LC_ALL", "LC_MESSAGES", "LANG")
        named = next((environment[name] for name in settings if environment.get(name)), "en")
    return "zh" if named.lower().startswith("zh") else "en"
