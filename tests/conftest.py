"""What all tests share."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("fast", max_examples=20)  # `./dev test --fast`


@pytest.fixture(scope="session", autouse=True)
def state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep approvals and keys of tests, and of the processes they start, away from the user's."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the slow tests out of the coverage, which would make them three times as slow."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker("no_cover")
