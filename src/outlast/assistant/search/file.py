"""Search in a local JSON file of pages."""

from __future__ import annotations

from pathlib import Path

from msgspec import DecodeError, ValidationError, json

from outlast.assistant.search.port import SearchHit
from outlast.errors import ToolFailed
from outlast.system.disk import describe_error


class FileSearch:
    """Searches in a file: a list of objects with `title`, `summary` and `link`."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def search(self, words: str, count: int) -> tuple[SearchHit, ...]:
        """Return the pages with the most of the words, in the order of the file."""
        try:
            pages = json.decode(self._path.read_bytes(), type=list[SearchHit])
        except (OSError, DecodeError, ValidationError) as error:
            problem = describe_error(error)
            raise ToolFailed("search_unreadable", where=str(self._path), problem=problem) from None
        wanted = words.casefold().split()

        def score(page: SearchHit) -> int:
            text = f"{page.title} {page.summary}".casefold()
            return sum(word in text for word in wanted)

        return tuple(page for page in sorted(pages, key=score, reverse=True) if score(page))[:count]
