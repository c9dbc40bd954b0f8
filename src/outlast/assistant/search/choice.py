"""The search provider that the settings choose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from outlast.assistant.search.file import FileSearch
from outlast.assistant.search.searxng import SearxngSearch
from outlast.errors import InvalidSetting

if TYPE_CHECKING:
    from outlast.assistant.search.port import SearchProvider
    from outlast.config.settings import SearchSettings


def search_provider(settings: SearchSettings) -> SearchProvider | None:
    """Return what `internet_search` searches with; None if the settings choose nothing.

    Raises `InvalidSetting` if an address or a file is missing or wrong.
    """
    provider = settings.provider
    if not provider:
        return None
    setting = "url" if provider == "searxng" else "file"
    value = getattr(settings, setting)
    if not value:
        raise InvalidSetting(
            "search_setting_missing", provider=provider, setting=f"search.{setting}"
        )
    if provider == "searxng":
        return SearxngSearch(value, settings.timeout)
    return FileSearch(os.path.expanduser(value))  # noqa: PTH111 - this one never fails
