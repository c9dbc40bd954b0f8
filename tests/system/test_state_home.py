"""The user's own state, outside of every project."""

import os
import stat
from errno import ENOSPC, EROFS
from pathlib import Path
from threading import Thread

import pytest

from outlast.errors import StoreError
from outlast.system.disk import Disk
from outlast.system.state_home import StateHome, data_home, state_home
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.observed_disk import RecordingDisk


def test_it_is_where_the_system_says() -> None:
    assert state_home({"XDG_STATE_HOME": "/var/mine"}) == "/var/mine"
    assert state_home({}).endswith("/.local/state")
    assert state_home({"XDG_STATE_HOME": "relative"}) == state_home({})
    assert data_home({"XDG_DATA_HOME": "/var/mine"}) == "/var/mine"
    assert data_home({"XDG_DATA_HOME": "relative"}) == data_home({})
    assert data_home({}).endswith("/.local/share")


def test_a_mark_is_made_once_and_found_again(tmp_path: Path) -> None:
    home = StateHome(str(tmp_path / "deep" / "state"))
    assert not home.has_mark("approved", "abc")
    assert [home.add_mark("approved", "abc") for _ in range(2)] == [True, False]
    assert StateHome(str(tmp_path / "deep" / "state")).has_mark("approved", "abc")
    assert not home.has_mark("approved", "abd")


def test_a5_only_the_user_can_look_into_it(tmp_path: Path) -> None:
    home = StateHome(str(tmp_path))
    home.add_mark("approved", "abc")
    home.secret("key")
    found = {str(p.relative_to(tmp_path)): p.stat().st_mode for p in tmp_path.rglob("*")}
    assert {name: stat.S_IMODE(mode) for name, mode in found.items()} == {
        "outlast": 0o700,
        "outlast/approved": 0o700,
        "outlast/approved/abc": 0o600,
        "outlast/key": 0o600,
    }


def test_a_secret_stays_the_same_and_is_made_only_on_demand(tmp_path: Path) -> None:
    home = StateHome(str(tmp_path))
    assert home.secret("key", make=False) == b""
    assert not (tmp_path / "outlast").exists()
    first = home.secret("key")
    assert len(first) == 32
    assert home.secret("key") == home.secret("key", make=False) == first


def test_a_truncated_secret_was_never_used_and_is_made_again(tmp_path: Path) -> None:
    home = StateHome(str(tmp_path))
    home.secret("key")
    (tmp_path / "outlast" / "key").write_bytes(b"short")
    assert home.secret("key", make=False) == b""
    assert len(home.secret("key")) == 32


def test_many_at_once_agree_on_one_secret(tmp_path: Path) -> None:
    found: list[bytes] = []
    threads = [
        Thread(target=lambda: found.append(StateHome(str(tmp_path)).secret("key")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_what_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    home = StateHome(str(tmp_path / "file"))
    with pytest.raises(StoreError) as caught:
        home.add_mark("approved", "x")
    assert caught.value.text == "state_home_failed"
    with pytest.raises(StoreError) as caught:
        home.secret("key")
    assert caught.value.details["problem"] == "Not a directory"


def test_f5_a_full_disk_is_reported_at_every_call(tmp_path: Path) -> None:
    counting = FaultyDisk(QuickDisk())
    StateHome(str(tmp_path / "counted"), counting).secret("key")
    for at in range(1, len(counting.calls) + 1):
        disk = FaultyDisk(QuickDisk(), at, error=OSError(ENOSPC, "full"))
        home = StateHome(str(tmp_path / str(at)), disk)
        try:
            first = home.secret("key")
        except StoreError as error:
            assert error.text == "state_home_failed"  # noqa: PT017 - some calls may fail unseen
            first = home.secret("key")
        assert StateHome(str(tmp_path / str(at))).secret("key", make=False) == first


def test_a10_a_directory_that_others_can_write_to_is_not_believed(tmp_path: Path) -> None:
    home = StateHome(str(tmp_path), Disk())
    home.add_mark("approved", "abc")
    (tmp_path / "outlast" / "approved").chmod(0o777)
    assert not home.has_mark("approved", "abc")
    with pytest.raises(StoreError) as caught:
        home.add_mark("approved", "abd")
    assert caught.value.text == "state_home_open"


def test_a_value_is_kept_until_another_takes_its_place(tmp_path: Path) -> None:
    home = StateHome(str(tmp_path))
    assert home.read_value("given", "abc") == ""
    home.write_value("given", "abc", "first")
    home.write_value("given", "abc", "second")
    assert StateHome(str(tmp_path)).read_value("given", "abc") == "second"
    assert home.read_value("given", "abd") == ""
    assert stat.S_IMODE((tmp_path / "outlast/given/abc").stat().st_mode) == 0o600


def test_a10_a_home_that_is_not_absolute_could_come_with_a_project(tmp_path: Path) -> None:
    """As for a user without a home directory: a relative path belongs to the project."""
    at_hand = os.path.relpath(tmp_path)
    StateHome(str(tmp_path)).add_mark("approved", "abc")
    home = StateHome(at_hand)
    assert not home.has_mark("approved", "abc")
    assert home.read_value("approved", "abc") == ""
    for keep in (home.secret, lambda _: home.add_mark("approved", "abd")):
        with pytest.raises(StoreError):
            keep("key")
    assert [p.name for p in (tmp_path / "outlast" / "approved").iterdir()] == ["abc"]


@pytest.mark.parametrize("place", ["outlast", "outlast/key"])
def test_a10_a_key_that_others_could_write_seals_nothing(tmp_path: Path, place: str) -> None:
    home = StateHome(str(tmp_path))
    home.secret("key")
    (tmp_path / place).chmod(0o777)
    for make in (True, False):
        with pytest.raises(StoreError) as caught:
            home.secret("key", make=make)
        assert caught.value.text == "state_home_open"


class ReadOnlyDisk(Disk):
    """A disk on which nothing can be opened for writing."""

    def open(self, path: str, flags: int, mode: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(EROFS, "read-only")
        return super().open(path, flags, mode)


def test_a_secret_that_is_there_is_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    first = StateHome(str(tmp_path)).secret("key")
    assert StateHome(str(tmp_path), ReadOnlyDisk()).secret("key") == first


def test_a_private_file_is_read_up_to_a_limit_and_can_be_removed(tmp_path: Path) -> None:
    home = StateHome(str(tmp_path))
    assert home.read_private("permissions", "a", 9) == b""
    assert not home.remove_value("permissions", "a")
    home.write_value("permissions", "a", "ten  bytes")
    assert home.read_private("permissions", "a", 10) == b"ten  bytes"
    with pytest.raises(StoreError, match="too large"):
        home.read_private("permissions", "a", 9)
    assert home.remove_value("permissions", "a")
    assert home.read_private("permissions", "a", 10) == b""


def test_f2_a_new_secret_is_durable_before_it_is_used(tmp_path: Path) -> None:
    disk = RecordingDisk()
    StateHome(str(tmp_path), disk).secret("key")
    home = str(tmp_path / "outlast")
    assert disk.position("sync", f"{home}/key") < disk.position("sync directory", home)
