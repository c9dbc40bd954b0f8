"""F18: where a plan would not be safe it is refused, with the reason, and nothing is written."""

import errno
import os
from pathlib import Path

import pytest

from outlast.errors import StoreError, UnsuitableFileSystem
from outlast.language import explain
from outlast.model import commands as c
from outlast.plan.home.workspace import Workspace
from outlast.store.files.log import open_files
from outlast.system.clock import now
from tests.plan.places import act, make_session, names, open_session
from tests.store.faults import QuickDisk

COMMAND = c.CreatePlan("plan_test", "Test things", "x")


class Elsewhere(QuickDisk):
    """A disk that is on some kind of file system, below some directory."""

    def __init__(self, kind: str, below: str = "") -> None:
        self.kind, self.below = kind, below

    def file_system(self, path: str) -> str:
        return self.kind if self.below in path else "ext4"


class NoLocks(QuickDisk):
    """A disk on which nothing can be locked."""

    def __init__(self, number: int) -> None:
        self.number = number

    def lock(self, fd: int) -> None:  # noqa: ARG002 - the name of the seam
        raise OSError(self.number, os.strerror(self.number))


@pytest.mark.parametrize("layout", ["outlast", "sessions"])
@pytest.mark.parametrize("kind", ["nfs4", "9p", "cifs", "fuse.sshfs"])
def test_f18_nothing_is_made_on_a_network(kind: str, layout: str, tmp_path: Path) -> None:
    with pytest.raises(UnsuitableFileSystem) as caught:
        Workspace(str(tmp_path), Elsewhere(kind)).create(COMMAND, "ann", now(), layout=layout)
    assert f"({kind})" in explain(caught.value)
    assert names(tmp_path) == []


def test_f18_nothing_is_opened_on_a_network(tmp_path: Path) -> None:
    make_session(tmp_path).close()
    before = names(tmp_path / ".sessions" / "x")
    for below in ("", ".sessions"):
        place = Workspace(str(tmp_path), Elsewhere("nfs", below))
        for look in (place.open, place.open_without_adopting):
            with pytest.raises(UnsuitableFileSystem):
                look("x", now())
        assert place.plan_keys() == ["x"]
    assert names(tmp_path / ".sessions" / "x") == before


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_f18_without_locks_nothing_is_made_or_changed(number: int, tmp_path: Path) -> None:
    disk = NoLocks(number)
    with pytest.raises(UnsuitableFileSystem, match="file system without locks"):
        Workspace(str(tmp_path), disk).create(COMMAND, "ann", now())
    make_session(tmp_path).close()
    directory = tmp_path / ".sessions" / "x"
    store = open_files(str(directory), disk, now())
    assert store.read(lambda state: len(state.tasks)) == 3
    before = (directory / "journal.jsonl").read_bytes()
    with pytest.raises(UnsuitableFileSystem, match="file system without locks"):
        act(store, c.CountIteration())
    store.close()
    assert (directory / "journal.jsonl").read_bytes() == before
    (directory / "plan.json").unlink()
    viewing = open_session(tmp_path, disk)
    assert [text for text, _ in viewing.notices] == ["view_failed"]
    viewing.close()


def test_f18_closing_a_long_plan_without_locks_is_no_error(tmp_path: Path) -> None:
    store = make_session(tmp_path)
    for _ in range(2):
        act(store, c.EditTask(1, reasoning="why " * 16_000))
    directory = str(tmp_path / ".sessions" / "x")
    open_files(directory, NoLocks(errno.ENOLCK), now()).close()
    store.close()


@pytest.mark.parametrize("link", [".outlast", ".outlast/plans", ".outlast/plans/x"])
def test_a10_a_link_out_of_the_workspace_is_not_followed(link: str, tmp_path: Path) -> None:
    workspace, outside = tmp_path / "w", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    place = Workspace(str(outside), QuickDisk())
    place.create(COMMAND, "ann", now()).close()
    path = workspace / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(outside / link)
    place = Workspace(str(workspace), QuickDisk())
    with pytest.raises(StoreError, match="Not a directory"):
        place.open("x", now())
    for file in (outside / ".outlast" / "plans" / "x").iterdir():
        file.unlink()
    with pytest.raises(StoreError, match="Not a directory"):
        place.create(COMMAND, "ann", now())
    assert names(outside / ".outlast" / "plans" / "x") == []


def test_f18_a_workspace_may_itself_be_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    make_session(tmp_path / "link").close()
    assert open_session(tmp_path / "real").read(lambda state: len(state.tasks)) == 3


def test_f18_a_file_where_the_plans_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / ".outlast").touch()
    place = Workspace(str(tmp_path), QuickDisk())
    with pytest.raises(StoreError, match="Not a directory"):
        place.create(COMMAND, "ann", now())
    assert place.plan_keys() == []
