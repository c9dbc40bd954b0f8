"""What the tests of the stores share."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

_LONG = (
    "test_x1_the_last_ten_thousand_keys_are_remembered",
    "test_x1_the_key_of_an_attempt_is_remembered_while_it_is_open",
)
_PLAIN = ("TestMemoryStore", "TestFilesStore", "TestSqliteStore")
_RAM = Path("/dev/shm")  # noqa: S108 - looked for, made below by mkdtemp


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Take what needs ten thousand commits as slow where a store is another one with views."""
    for item in items:
        kind = getattr(getattr(item, "cls", None), "__name__", "")
        if item.name in _LONG and kind not in _PLAIN:
            item.add_marker("slow")


@pytest.fixture
def ram_path() -> Iterator[Path]:
    """Have a directory that costs no disk, for tests that fill it thousands of times."""
    made = tempfile.mkdtemp(prefix="outlast-", dir=_RAM if _RAM.is_dir() else None)
    yield Path(made)
    shutil.rmtree(made)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Have a function that makes stores write a snapshot at every occasion."""

    def be_eager() -> None:
        monkeypatch.setattr("outlast.adapters.stores.files.replica._SNAPSHOT_EVERY", 0)
        monkeypatch.setattr("outlast.adapters.stores.files.replica._BYTES_A_TASK", 0)
        monkeypatch.setattr("outlast.adapters.stores.files.snapshot_file.WORTH", 0)

    return be_eager
