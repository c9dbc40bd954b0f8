"""F5: the files of coding agents are changed all together, or not at all."""

import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest

from outlast.errors import InvalidDocument, StoreError
from outlast.hosts.settings.files import FileChange, HostFile, SettingsFiles
from outlast.system.disk import Disk
from outlast.system.state_home import StateHome

OLD, NEW = '{"old": "\u00e9"}\r\n', '{"new": 1}\n'


class FailingDisk(Disk):
    """Fails one of its changes with an errno; `for_good` all after it, too."""

    def __init__(self, fail_at: int, code: int = errno.ENOSPC, *, for_good: bool = False) -> None:
        self.calls, self._fail_at, self._code, self._for_good = 0, fail_at, code, for_good

    def _count(self) -> None:
        self.calls += 1
        if self.calls == self._fail_at or (self._for_good and self.calls > self._fail_at):
            raise OSError(self._code, os.strerror(self._code))

    def open(self, path: str, flags: int, mode: int) -> int:
        if flags & os.O_CREAT:
            self._count()
        return super().open(path, flags, mode)

    def write(self, fd: int, data: bytes) -> int:
        self._count()
        return super().write(fd, data)

    def sync(self, fd: int) -> None:
        self._count()
        super().sync(fd)

    def rename(self, old: str, new: str) -> None:
        self._count()
        super().rename(old, new)

    def remove(self, path: str) -> None:
        self._count()
        super().remove(path)

    def make_directory(self, path: str, mode: int) -> None:
        self._count()
        super().make_directory(path, mode)

    def set_mode(self, path: str, mode: int) -> None:
        self._count()
        super().set_mode(path, mode)


class WithoutModes(Disk):
    """A disk that cannot set permissions, nor remove a file."""

    def set_mode(self, _path: str, _mode: int) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    def remove(self, _path: str) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three files, of which one is open to others."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("a.json", "b.json", "stays.json"):
        (home / name).write_bytes(OLD.encode())
    (home / "b.json").chmod(0o666)
    return home


def open_files(home: Path, disk: Disk | None = None) -> SettingsFiles:
    disk = disk or Disk()
    return SettingsFiles(disk, StateHome(str(home.parent / "state"), disk))


def changes(files: SettingsFiles, home: Path) -> list[FileChange]:
    old = [files.read(str(home / name)) for name in ("a.json", "b.json")]
    new = files.read(str(home / "commands" / "deep" / "new.md"))
    return [*(FileChange(file, NEW, file.text) for file in old), FileChange(new, NEW)]


def remove(files: SettingsFiles, home: Path) -> None:
    """Restore what is as we left it, as a removal does."""
    paths = [home / "commands" / "deep" / "new.md", home / "a.json", home / "b.json"]
    with suppress(StoreError):
        known = [files.read(str(path)) for path in paths]
        files.apply(
            [FileChange(each, each.before if each.is_untouched else each.text) for each in known],
            remove=True,
        )


def content(home: Path) -> dict[str, object]:
    return {
        str(path.relative_to(home)): (path.stat().st_mode, path.read_bytes())
        if path.is_file()
        else path.stat().st_mode
        for path in home.rglob("*")
    }


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EACCES])
def test_f5_a_failure_at_any_call_leaves_every_file_as_it_was(home: Path, code: int) -> None:
    before, failed = content(home), 0
    for fail_at in range(1, 200):
        disk = FailingDisk(fail_at, code)
        files = open_files(home, disk)
        try:
            files.apply(changes(files, home))
        except StoreError:
            failed += 1
            assert content(home) == before, fail_at
        else:
            break
    else:
        pytest.fail("it never succeeded")
    assert failed > 20
    assert (home / "a.json").read_bytes() == NEW.encode()
    assert (home / "b.json").stat().st_mode & 0o777 == 0o666
    assert (home / "commands" / "deep" / "new.md").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("fail_at", range(1, 30))
def test_f5_a_removal_that_fails_changes_nothing_and_can_be_repeated(
    home: Path, fail_at: int
) -> None:
    before = content(home)
    files = open_files(home)
    files.apply(changes(files, home))
    installed = content(home)
    remove(open_files(home, FailingDisk(fail_at)), home)
    assert content(home) in (installed, before)
    remove(files, home)
    assert content(home) == before


def test_f5_files_that_cannot_be_restored_are_named(home: Path) -> None:
    paths = [home / "a.json", home / "b.json"]
    changed, named = list[list[str]](), list[list[str]]()
    for fail_at in range(1, 60):
        planned = changes(open_files(home), home)
        try:
            open_files(home, FailingDisk(fail_at, for_good=True)).apply(planned)
        except StoreError as error:
            changed.append([str(path) for path in paths if path.read_bytes() == NEW.encode()])
            files = error.details.get("files", [])
            assert isinstance(files, list)
            named.append(files)
        for path in paths:
            path.write_bytes(OLD.encode())
    assert named == changed
    assert {len(files) for files in named} == {0, 1, 2}


def test_f5_the_first_problem_is_the_one_that_is_told(home: Path) -> None:
    before = (home / "b.json").read_bytes()
    files = open_files(home, WithoutModes())
    change = FileChange(files.read(str(home / "b.json")), NEW, OLD)
    with pytest.raises(StoreError, match="Operation not permitted") as failed:
        files.apply([change])
    assert failed.value.details["where"] == str(home / "b.json")
    assert (home / "b.json").read_bytes() == before


def test_a10_only_a_private_file_of_ours_is_closed_to_others(home: Path) -> None:
    files = open_files(home)
    made = [files.read(str(home / name)) for name in ("private", "shared")]
    files.apply([FileChange(made[0], NEW), FileChange(made[1], NEW, is_private=False)])
    umask = os.umask(0)
    os.umask(umask)
    modes = [(home / name).stat().st_mode & 0o777 for name in ("private", "shared")]
    assert modes == [0o600, 0o666 & ~umask]


def test_what_a_file_held_before_is_known_until_it_is_removed(home: Path) -> None:
    files, path = open_files(home), str(home / "a.json")
    files.apply(changes(files, home))
    file = files.read(path)
    assert (file.before, file.is_known, file.is_untouched) == (OLD, True, True)
    assert Path(files.backup_path(file)).read_bytes() == OLD.encode()
    (home / "a.json").write_text("{}")
    assert not files.read(path).is_untouched
    remove(files, home)
    assert files.read(path) == HostFile(path, path, "{}", 0o644)


def test_a_file_that_another_program_has_just_written_is_left_alone(home: Path) -> None:
    files = open_files(home)
    planned = changes(files, home)
    (home / "b.json").write_text("{}")
    before = content(home)
    with pytest.raises(StoreError) as refused:
        files.apply(planned)
    assert refused.value.text == "settings_changed_meanwhile"
    assert content(home) == before


def test_a10_what_is_no_file_is_refused(home: Path) -> None:
    files = open_files(home)
    os.mkfifo(home / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(InvalidDocument) as refused:
            files.read(str(home / name))
        assert refused.value.text == "document_no_file"
    os.truncate(home / "a.json", 1 << 27)
    with pytest.raises(StoreError) as too_large:
        files.read(str(home / "a.json"))
    assert too_large.value.text == "settings_unusable"


def test_a_link_is_followed_and_stays(home: Path) -> None:
    files = open_files(home)
    (home / "link.json").symlink_to("a.json")
    (home / "dangling.json").symlink_to("dotfiles/new.json")
    linked, dangling = (files.read(str(home / f"{name}.json")) for name in ("link", "dangling"))
    files.apply([FileChange(linked, NEW, OLD), FileChange(dangling, NEW)])
    assert (home / "link.json").is_symlink()
    assert (home / "a.json").read_text() == NEW
    assert (home / "dotfiles" / "new.json").read_text() == NEW


def test_a_damaged_record_counts_as_none(home: Path) -> None:
    files, path = open_files(home), str(home / "a.json")
    files.apply(changes(files, home))
    backup = Path(files.backup_path(files.read(path)))
    backup.with_suffix(".json").write_text("{")
    assert not files.read(path).is_known
