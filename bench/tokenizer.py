"""Tokens as a current model counts them: o200k_base, from a package that brings its ranks along."""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

NAME: Final = "o200k_base"


def tokens(text: str) -> int:
    """Return how many tokens a text has."""
    return len(_encode()(text))


@cache
def _encode() -> Callable[[str], list[int]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of how it opens its own files
        import bpe_openai  # type: ignore[import-untyped]  # noqa: PLC0415 - it takes a second
    encode: Callable[[str], list[int]] = bpe_openai.get_encoding(NAME).encode
    return encode
