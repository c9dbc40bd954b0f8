"""The commits of a stored plan, read page by page: a history need not fit into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.model.changes import Commit
    from outlast.store.log import Page


class StoredHistory:
    """The commits after a revision, in either direction; later commits do not join them.

    Each page is one use of the store, so that other threads do not wait for long.
    """

    def __init__(
        self,
        read_page: Callable[[int | None], Page],
        read_page_back: Callable[[int | None], Page],
        since: int,
        last: int,
    ) -> None:
        self._read_page, self._read_page_back = read_page, read_page_back
        self._since, self._last = since, last

    def __iter__(self) -> Iterator[Commit]:
        commits, position = self._read_page(None)
        while commits:
            for commit in commits:
                if commit.revision > self._last:
                    return
                if commit.changes and commit.revision > self._since:
                    yield commit
            commits, position = self._read_page(position)

    def __reversed__(self) -> Iterator[Commit]:
        commits, position = self._read_page_back(None)
        while commits:
            for commit in commits:
                if commit.revision <= self._since:
                    return
                if commit.changes and commit.revision <= self._last:
                    yield commit
            commits, position = self._read_page_back(position)
