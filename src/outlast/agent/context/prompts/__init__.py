"""Prompt templates, one file per language."""

from __future__ import annotations

from functools import cache
from pkgutil import get_data
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.language import Language


@cache
def prompt(name: str, language: Language = "en") -> str:
    """Return a prompt; raise `FileNotFoundError` if there is none with this name."""
    data = get_data(__name__, f"{name}.{language}.md")
    if data is None:
        raise FileNotFoundError(name)
    return data.decode().strip()
