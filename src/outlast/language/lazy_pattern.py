"""Regular expressions that are compiled when they are first used.

A hook lives for a moment, and compiling what it does not need would take longer than its answer.
"""

from __future__ import annotations

import re
from typing import Any, cast


def compile_lazily(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what behaves as the compiled pattern does."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    """Takes over each method of the compiled pattern when it is first asked for."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the pattern has
        if name.startswith("_"):  # it is asked for when nothing is set, as by `copy`
            raise AttributeError(name)
        method = getattr(re.compile(self._pattern, self._flags), name)
        setattr(self, name, method)
        return method
