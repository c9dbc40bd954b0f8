"""Search through the JSON API of SearXNG, which other servers speak too, or in a JSON file."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlencode, urlsplit

from msgspec import DecodeError, Struct, ValidationError, json

from outlast.assistant.search.port import SearchHit
from outlast.errors import InvalidSetting, ToolFailed
from outlast.system.disk import describe_error
from outlast.system.http_get import RequestFailed, get

_SECONDS: Final = 10.0
_MAX_BYTES: Final = 4_000_000
_FORBIDDEN: Final = 403  # what SearXNG answers if it does not allow JSON
_TOO_MANY: Final = 429
_REDIRECTS: Final = range(300, 400)


class _Result(Struct):
    url: str = ""
    title: str | None = None
    content: str | None = None


class _Answer(Struct):
    results: list[_Result]


class SearxngSearch:
    """Searches with a server such as `https://search.example.org`."""

    def __init__(self, url: str, seconds: float = _SECONDS) -> None:
        """Check the address; nothing is asked yet."""
        try:
            parts = urlsplit(url)
            is_http = parts.scheme in ("http", "https")
            is_address = is_http and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address:
            raise InvalidSetting("search_url_invalid", setting="search.url", value=url[:200])
        self._url, self._seconds = url.rstrip("/").removesuffix("/search"), seconds

    def search(self, words: str, count: int) -> tuple[SearchHit, ...]:
        """Ask the server."""
        query = urlencode({"q": words, "format": "json"})
        try:
            answer = get(f"{self._url}/search?{query}", self._seconds, _MAX_BYTES)
            found = json.decode(answer, type=_Answer).results[:count]
        except RequestFailed as error:
            raise self._explain(error) from None
        except ValidationError as error:
            raise ToolFailed("search_unreadable", where=self._url, problem=str(error)) from None
        except DecodeError as error:
            raise ToolFailed("search_no_json", where=self._url, problem=str(error)) from None
        return tuple(SearchHit(each.title or "", each.content or "", each.url) for each in found)

    def _explain(self, error: RequestFailed) -> ToolFailed:
        problem = error.problem
        if error.location and error.status in _REDIRECTS:
            location = error.location.partition("/search?")[0]
            return ToolFailed("search_moved", where=self._url, location=location)
        if error.status == _FORBIDDEN:
            return ToolFailed("search_no_json", where=self._url, problem=problem)
        if error.status == _TOO_MANY:
            return ToolFailed("search_busy", where=self._url, problem=problem)
        return ToolFailed("search_unanswered", where=self._url, problem=problem)


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
