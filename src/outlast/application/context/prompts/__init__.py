"""What models are told before anything else: template files, one a language."""

from __future__ import annotations

from functools import cache
from pkgutil import get_data
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.texts import Language


@cache
def prompt(name: str, language: Language = "en") -> str:
    """Return a prompt."""
    found = get_data(__name__, f"{name}.{language}.md")
    if found is None:
        raise FileNotFoundError(name)
    return found.decode().strip()
