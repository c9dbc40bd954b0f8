"""R3.09: the settings choose what `internet_search` searches with."""

import pytest

from outlast.assistant.search.providers import FileSearch, SearxngSearch
from outlast.assistant.tools import search_provider
from outlast.config.settings import SearchSettings
from outlast.errors import InvalidSetting


def test_r3_09_a_provider_is_chosen_by_the_settings() -> None:
    assert search_provider(SearchSettings()) is None
    assert search_provider(SearchSettings(url="https://x.example")) is None
    found = search_provider(SearchSettings("searxng", "https://x.example", timeout=3))
    assert isinstance(found, SearxngSearch)
    assert isinstance(search_provider(SearchSettings("file", file="~/pages.json")), FileSearch)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (SearchSettings("searxng"), "search.provider is searxng, so search.url must be set too"),
        (SearchSettings("file"), "search.provider is file, so search.file must be set too"),
        (SearchSettings("searxng", "x"), "search.url must be an address"),
    ],
)
def test_r3_09_a_provider_without_its_address_is_refused(
    settings: SearchSettings, problem: str
) -> None:
    with pytest.raises(InvalidSetting, match=problem):
        search_provider(settings)
