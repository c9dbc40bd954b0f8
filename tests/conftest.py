"""What all tests share."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the slow tests out of the coverage, which would make them three times as slow."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker("no_cover")
