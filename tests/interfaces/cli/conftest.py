"""Fixtures of the command line: a directory to work in, and a plan of two tasks."""

from pathlib import Path

import pytest

from outlast import create_plan


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A directory that has another one beside it for homes and settings."""
    place = tmp_path / "here"
    place.mkdir()
    return place


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with the plan `ship`, which has the tasks a and b."""
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a")
        plan.add("b")
    return tmp_path
