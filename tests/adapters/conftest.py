"""Fixtures of the adapter tests."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_RAM = Path("/dev/shm")  # noqa: S108 - mkdtemp makes a private directory in it


@pytest.fixture
def ram_path() -> Iterator[Path]:
    """A directory in memory, for tests that fill it thousands of times."""
    made = tempfile.mkdtemp(prefix="outlast-", dir=_RAM if _RAM.is_dir() else None)
    yield Path(made)
    shutil.rmtree(made)
