"""What all tests share."""

import os
import re
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Loaded late by the package, and perhaps first by a test that coverage does not look at.
__import__("outlast.domain.apply_loop")
__import__("outlast.domain.decide.seldom")

settings.register_profile("fast", max_examples=20)  # `./dev test --fast`

# What a user may have set; the figures of `./dev soak` bear other names.
_SETTING = re.compile("OUTLAST_(PLAN|ACTOR|LANG|MODEL|API_KEY|CHECK_SECONDS|.*__.*)")


@pytest.fixture(scope="session", autouse=True)
def places_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests, and the processes they start, away from the user's files and settings."""
    before = dict(os.environ)
    for place in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "TMPDIR"):
        os.environ[place] = str(tmp_path_factory.mktemp(place.lower()))
    for name in [name for name in before if _SETTING.fullmatch(name)]:
        del os.environ[name]
    tempfile.tempdir = None  # looked up anew
    yield
    os.environ.clear()
    os.environ.update(before)
    tempfile.tempdir = None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the slow tests out of the coverage, which would make them three times as slow."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker("no_cover")
