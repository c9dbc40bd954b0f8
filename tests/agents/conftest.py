"""What the tests of real coding agents share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_ON_DISK = "/var/tmp"  # noqa: S108 - TemporaryDirectory makes a private directory in it


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A directory on a disk: in an agent's sandbox `/dev/shm`, where tests lie, is another one."""
    with tempfile.TemporaryDirectory(prefix="agents-", dir=_ON_DISK) as made:
        yield Path(made)
