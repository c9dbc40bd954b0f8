"""A project, and a state directory that only one test uses."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state directory."""
    place = tmp_path / "state"
    place.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_STATE_HOME", str(place))
    return place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The directory of a project."""
    place = tmp_path / "project"
    place.mkdir()
    return place
