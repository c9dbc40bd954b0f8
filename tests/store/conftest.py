"""Fixtures of the store tests."""

import pytest

_LONG = (
    "test_x1_the_last_ten_thousand_keys_are_remembered",
    "test_x1_the_key_of_an_attempt_is_remembered_while_it_is_open",
)
_PLAIN = ("TestMemoryStore", "TestFilesStore", "TestSqliteStore")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests of ten thousand commits as slow for all but the plain stores."""
    for item in items:
        kind = getattr(getattr(item, "cls", None), "__name__", "")
        if item.name in _LONG and kind not in _PLAIN:
            item.add_marker("slow")
