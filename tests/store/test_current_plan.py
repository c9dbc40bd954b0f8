"""The current plan of a workspace: one line in `.outlast/current`, and never an error."""

import os
from errno import EROFS
from pathlib import Path

import pytest

from outlast import create_plan
from outlast.plan.home.find import DISK
from outlast.plan.home.workspace import Workspace
from outlast.store.port import Layout
from outlast.system.disk import Disk


class ReadOnlyDisk(Disk):
    """A disk on which no file can be written."""

    def open(self, path: str, flags: int, mode: int) -> int:
        if flags & os.O_WRONLY:
            raise OSError(EROFS, os.strerror(EROFS))
        return super().open(path, flags, mode)

    def make_directory(self, path: str, mode: int) -> None:
        del path, mode
        raise OSError(EROFS, os.strerror(EROFS))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for key in ("one", "键 two"):
        create_plan(tmp_path, key, key).close()
    return Workspace(str(tmp_path), DISK)


def test_u2_one_line_names_the_current_plan(workspace: Workspace) -> None:
    assert workspace.current_key() == ""
    for key in ("one", "键 two", "one"):
        workspace.make_current(key)
        assert workspace.current_key() == key
        assert Path(workspace.current_path).read_text("utf-8") == f"{key}\n"
    assert DISK.list_directory(f"{workspace.root}/.outlast") == [".gitignore", "current", "plans"]


def test_u2_the_file_is_written_only_if_it_differs(workspace: Workspace) -> None:
    workspace.make_current("one")
    before = DISK.stamp(workspace.current_path)
    workspace.make_current("one")
    assert DISK.stamp(workspace.current_path) == before


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"gone\n", b"\xff\n", b"one\ntwo\n", b"../one\n", b"x" * 5_000]
)
def test_u2_a_file_that_names_no_plan_means_none(workspace: Workspace, content: bytes) -> None:
    Path(workspace.current_path).write_bytes(content)
    assert workspace.current_key() == ""
    workspace.make_current("one")
    assert workspace.current_key() == "one"


def test_u2_what_is_no_file_means_none_and_is_left_alone(workspace: Workspace) -> None:
    path = Path(workspace.current_path)
    path.mkdir()
    workspace.make_current("one")
    assert workspace.current_key() == ""
    assert DISK.list_directory(str(path.parent)) == [".gitignore", "current", "plans"], (
        "nothing is left"
    )
    path.rmdir()
    os.mkfifo(path)
    assert workspace.current_key() == ""


def test_u2_a_link_leads_nowhere(tmp_path: Path) -> None:
    place, outside = tmp_path / "place", tmp_path / "outside"
    place.mkdir()
    outside.mkdir()
    create_plan(place, "One", "one", layout="sessions").close()
    (place / ".outlast").symlink_to(outside)
    Workspace(str(place), DISK).make_current("one")
    assert list(outside.iterdir()) == []


def test_u2_plans_of_other_layouts_have_a_current_one_too(tmp_path: Path) -> None:
    create_plan(tmp_path, "One", "one", layout="sessions").close()
    workspace = Workspace(str(tmp_path), DISK)
    workspace.make_current("one")
    assert workspace.current_key() == "one"
    assert (tmp_path / ".outlast" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("layout", ["outlast", "sessions"])
def test_u2_without_the_right_to_write_nothing_is_written(tmp_path: Path, layout: Layout) -> None:
    create_plan(tmp_path, "One", "one", layout=layout).close()
    workspace = Workspace(str(tmp_path), ReadOnlyDisk())
    workspace.make_current("one")
    assert workspace.current_key() == ""
    assert not Path(workspace.current_path).exists()
