"""The commits of a stored plan, read page by page: a history need not fit into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.changes import Commit

Page = tuple[list["Commit"], int]  # commits, and where the next page begins; empty at the end


class PagedStore(Protocol):
    """A store that reads its commits in pages, from a position or from where they begin."""

    def revision(self) -> int:
        """Return the newest revision."""

    def read_page(self, since: int, position: int | None) -> Page:
        """Return commits oldest first; without a position, those after a revision or before."""

    def read_page_back(self, position: int | None) -> Page:
        """Return commits newest first; without a position, the newest ones."""


class StoredHistory:
    """The commits after a revision, in either direction; later commits do not join them.

    Each page is one use of the store, so that other threads do not wait for long.
    """

    def __init__(self, store: PagedStore, since: int) -> None:
        self._store, self._since = store, since
        self._last = store.revision()

    def __iter__(self) -> Iterator[Commit]:
        commits, position = self._store.read_page(self._since, None)
        while commits:
            for commit in commits:
                if commit.revision > self._last:
                    return
                if commit.changes and commit.revision > self._since:
                    yield commit
            commits, position = self._store.read_page(self._since, position)

    def __reversed__(self) -> Iterator[Commit]:
        commits, position = self._store.read_page_back(None)
        while commits:
            for commit in commits:
                if commit.revision <= self._since:
                    return
                if commit.changes and commit.revision <= self._last:
                    yield commit
            commits, position = self._store.read_page_back(position)
