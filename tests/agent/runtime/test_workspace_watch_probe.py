"""What agents changed is seen without reading files, without following links, without git."""

import os
import subprocess
from pathlib import Path

import pytest

from outlast.agent.runtime.workspace import LocalWorkspace
from outlast.system.git import read_commit


def listed(path: Path) -> list[str]:
    files = LocalWorkspace(str(path)).list_files()
    assert files is not None
    return sorted(files)


def write(path: Path, content: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def git(path: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    command = ("git", "-C", str(path), *who, *arguments)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603


def test_files_are_listed_save_plans_caches_and_what_git_ignores(tmp_path: Path) -> None:
    kept = ["a.py", "src/b.py", "src/build.py", ".github/ci.yml", "out/keep.txt"]
    ignored = [".git/x", ".outlast/x", "src/__pycache__/x", "node_modules/a/b", "build/x", "a.log"]
    for name in (*kept, *ignored, "out/lost.txt"):
        write(tmp_path / name)
    write(tmp_path / ".gitignore", "# what\n\nbuild/\n*.log\n/out/*\n!out/keep.txt\n")
    assert listed(tmp_path) == sorted([*kept, ".gitignore"])


def test_a1_a_file_is_not_hidden_by_ignoring_it_later(tmp_path: Path) -> None:
    workspace = LocalWorkspace(str(tmp_path))
    assert workspace.list_files() == {}
    write(tmp_path / ".gitignore", "*")
    write(tmp_path / "hidden")
    assert sorted(workspace.list_files() or ()) == [".gitignore", "hidden"]


def test_a_touched_file_has_another_state_even_with_its_old_time(tmp_path: Path) -> None:
    workspace, path = LocalWorkspace(str(tmp_path)), tmp_path / "a"
    write(path)
    before, status = workspace.list_files(), path.stat()
    write(path, "y")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert workspace.list_files() != before


def test_f10_links_and_pipes_are_seen_and_never_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    write(outside / "secret")
    inside.mkdir()
    (inside / "link").symlink_to(outside)
    (inside / "loop").symlink_to(".")
    (inside / ".gitignore").symlink_to(outside / "secret")
    os.mkfifo(inside / "pipe")
    assert listed(inside) == [".gitignore", "link", "loop", "pipe"]


def test_too_many_files_are_not_watched(tmp_path: Path) -> None:
    for number in range(4):
        write(tmp_path / f"f{number}")
    assert len(LocalWorkspace(str(tmp_path), 4).list_files() or ()) == 4
    assert LocalWorkspace(str(tmp_path), 3).list_files() is None


def test_f15_a_workspace_that_takes_too_long_is_not_watched(tmp_path: Path) -> None:
    write(tmp_path / "a")
    assert LocalWorkspace(str(tmp_path), seconds=-1).list_files() is None


def test_f10_what_is_too_deep_to_look_at_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "kept")
    directory = os.open(tmp_path, os.O_RDONLY)
    for _ in range(16):  # deeper than a path may be long
        os.close(os.open("file" * 20, os.O_CREAT | os.O_WRONLY, dir_fd=directory))
        os.mkdir("d" * 250, dir_fd=directory)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=directory)
        os.close(directory)
        directory = inner
    os.close(os.open("file" * 60, os.O_CREAT | os.O_WRONLY, dir_fd=directory))
    os.close(directory)
    found = LocalWorkspace(str(tmp_path)).list_files()
    assert found is not None
    assert "kept" in found


def test_r1_10_the_mailbox_of_an_agent_is_not_its_work(tmp_path: Path) -> None:
    for name in ("box/commands/a", "deep/box/b", "other/box/c"):
        write(tmp_path / name)
    own = [str(tmp_path / "box"), str(tmp_path / "deep/box"), "/elsewhere"]
    assert list(LocalWorkspace(str(tmp_path), without=own).list_files() or ()) == ["other/box/c"]


def test_a_missing_directory_has_no_files_and_no_commit(tmp_path: Path) -> None:
    workspace = LocalWorkspace(str(tmp_path / "gone"))
    assert (workspace.list_files(), workspace.read_commit()) == (None, "")


# Git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", str(tmp_path / "r"))
    (tmp_path / "r" / "sub").mkdir()
    return tmp_path / "r"


def commit(repository: Path) -> str:
    git(repository, "commit", "-q", "--allow-empty", "-m", "x")
    return git(repository, "rev-parse", "HEAD")


def test_the_commit_is_read_on_a_branch_packed_detached_and_in_a_worktree(repository: Path) -> None:
    assert read_commit(str(repository)) == "", "nothing is committed yet"
    first = commit(repository)
    assert read_commit(str(repository / "sub")) == first
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git/refs/heads/main").exists()
    assert LocalWorkspace(str(repository)).read_commit() == first
    git(repository, "worktree", "add", "-q", "-b", "side/x", str(repository.parent / "w"))
    second = commit(repository.parent / "w")
    assert (read_commit(str(repository.parent / "w")), read_commit(str(repository))) == (
        second,
        first,
    )
    git(repository, "checkout", "-q", "--detach", second)
    assert read_commit(str(repository)) == second


@pytest.mark.parametrize(
    "head", ["ref: refs/../../secret", "ref: ../secret", "secret", "ref: refs/heads/none", ""]
)
def test_a10_a_hostile_repository_names_no_commit(repository: Path, head: str) -> None:
    (repository / ".git/HEAD").write_text(head)
    (repository / "secret").write_text("a" * 40)
    assert read_commit(str(repository)) == ""


def test_a10_nothing_that_a_repository_configures_is_run(repository: Path) -> None:
    first = commit(repository)
    git(repository, "config", "core.fsmonitor", f"touch {repository}/ran; false")
    workspace = LocalWorkspace(str(repository))
    workspace.list_files()
    assert workspace.read_commit() == first
    assert not (repository / "ran").exists()
