"""What a setup of a coding agent changes, file by file."""

from pathlib import Path

import pytest

from outlast.errors import InvalidDocument, StoreError
from outlast.hosts.settings.files import SettingsFiles
from outlast.hosts.settings.setup import Installation, Places, SetupOptions, prepare_host
from outlast.system.disk import Disk
from outlast.system.state_home import StateHome


class BrokenDisk(Disk):
    """A disk that opens no file of a directory any more."""

    def __init__(self, below: Path) -> None:
        self._below = str(below)

    def open(self, path: str, flags: int, mode: int) -> int:
        if path.startswith(self._below):
            raise OSError(5, "Input/output error")
        return super().open(path, flags, mode)


def test_f5_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    disk, state = Disk(), StateHome(str(tmp_path / "state"))
    path = tmp_path / "home" / "settings.json"
    assert SettingsFiles(disk, state).read(str(path)).text is None
    path.parent.mkdir()
    path.write_text("{}")
    assert SettingsFiles(disk, state).read(str(path)).text == "{}"
    with pytest.raises(StoreError, match="Input/output error") as failed:
        SettingsFiles(BrokenDisk(path.parent), state).read(str(path))
    assert str(path) in str(failed.value)


def test_a_problem_in_a_file_is_told_with_its_name(tmp_path: Path) -> None:
    places = Places({"HOME": str(tmp_path)}, str(tmp_path / "project"))
    options = SetupOptions(places, Installation("/o/hook.sh", "/o/python", "1"))
    file = tmp_path / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text("{}")
    assert str(file) in [
        change.file.path for change in prepare_host("claude-code", "user", options).changes
    ]
    file.write_text("{]")
    with pytest.raises(InvalidDocument) as refused:
        prepare_host("claude-code", "user", options)
    assert refused.value.details["where"] == str(file)
