"""The search port: something that finds pages on the internet."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct


class SearchHit(Struct, frozen=True):
    """A page that was found."""

    title: str
    summary: str
    link: str


class SearchProvider(Protocol):
    """Something that searches. It blocks."""

    def search(self, words: str, count: int) -> tuple[SearchHit, ...]:
        """Return the best hits, at most `count`. Raises `ToolFailed` if it cannot search."""
