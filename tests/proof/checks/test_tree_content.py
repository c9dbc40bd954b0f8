"""X2: one id for what is in a directory, which nothing that git is told can keep as it was.

Each hidden edit has its control: with a copy of the repository's index, git gives the same tree.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast.proof.checks.tree_content import UNREADABLE, TreeIndexes
from outlast.system.disk import Disk
from outlast.system.state_home import StateHome

LONG_AGO = 1_600_000_000


class LaterDisk(Disk):
    """A disk on which the last write was seconds ago, so that every file is in the index."""

    def now_ns(self) -> int:
        return super().now_ns() + 5 * 10**9


class SharedDisk(LaterDisk):
    """A disk on which another process removes files between a look at their names and at them."""

    def list_directory(self, path: str) -> list[str]:
        return ["gone", *super().list_directory(path)]


class Repository:
    """A git repository, and the id of its content."""

    def __init__(self, place: Path) -> None:
        self.root, self.state = place / "repository", place / "state"
        self.disk = Disk()
        self.root.mkdir()
        self.state.mkdir(mode=0o700)

    def git(self, *arguments: str, at: str = ".", index: str = "") -> str:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        if index:
            environment["GIT_INDEX_FILE"] = index
        who = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
        done = subprocess.run(  # noqa: S603 - the git here
            ("git", *who, *arguments),  # noqa: S607 - the one on the path
            cwd=self.root / at,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def begin(self, at: str = ".") -> None:
        """Make a repository of what is there, and commit it."""
        self.git("init", "--quiet", at=at)
        self.git("add", "--all", at=at)
        self.git("commit", "--quiet", "--message", "begin", at=at)

    def write(self, name: str, text: str = "made\n") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        os.utime(path, (LONG_AGO, LONG_AGO))
        return path

    def content(self) -> str:
        """Return the id, as a process finds it that has an index."""
        return TreeIndexes(StateHome(str(self.state)), self.disk).content_id(str(self.root))

    def fresh_content(self) -> str:
        """Return the id, as a process finds it that has none."""
        shutil.rmtree(self.state / "outlast" / "trees", ignore_errors=True)
        return self.content()

    def naive_tree(self) -> str:
        """Return the tree that git writes with a copy of the repository's index."""
        copied = self.root / ".git" / "copied"
        shutil.copy2(self.root / ".git" / "index", copied)
        self.git("add", "--all", index=str(copied))
        return self.git("write-tree", index=str(copied))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def hides_by_assume_unchanged(repository: Repository) -> Callable[[], object]:
    file = repository.write("a.py")
    repository.begin()
    repository.git("update-index", "--assume-unchanged", "a.py")
    return lambda: file.write_text("edited\n")


def hides_by_skip_worktree(repository: Repository) -> Callable[[], object]:
    file = repository.write("a.py")
    repository.begin()
    repository.git("update-index", "--skip-worktree", "a.py")
    return lambda: file.write_text("edited\n")


def hides_by_line_ends(repository: Repository) -> Callable[[], object]:
    file = repository.write("run.sh")
    repository.write(".gitattributes", "* text=auto\n")
    repository.begin()
    return lambda: file.write_bytes(b"made\r\n")


def hides_by_configured_line_ends(repository: Repository) -> Callable[[], object]:
    file = repository.write("run.sh")
    repository.begin()
    repository.git("config", "core.autocrlf", "input")
    return lambda: file.write_bytes(b"made\r\n")


def hides_by_a_filter(repository: Repository) -> Callable[[], object]:
    file = repository.write("a.py")
    repository.write(".gitattributes", "*.py filter=same\n")
    repository.begin()
    repository.git("config", "filter.same.clean", "echo made")
    return lambda: file.write_text("edited\n")


def hides_by_an_exclude_file(repository: Repository) -> Callable[[], object]:
    repository.write("a.py")
    repository.begin()
    repository.write(".git/info/exclude", "secret.py\n")
    file = repository.write("secret.py")
    return lambda: file.write_text("edited\n")


def hides_by_an_ignore_file(repository: Repository) -> Callable[[], object]:
    repository.write(".gitignore", "secret.py\n")
    repository.begin()
    file = repository.write("secret.py")
    return lambda: file.write_text("edited\n")


def hides_in_an_ignored_directory(repository: Repository) -> Callable[[], object]:
    repository.write(".gitignore", "node_modules/\n")
    repository.begin()
    file = repository.write("node_modules/left/pad.js")
    return lambda: file.write_text("edited\n")


def hides_by_times(repository: Repository) -> Callable[[], object]:
    file = repository.write("a.py")
    repository.begin()
    repository.git("config", "core.trustctime", "false")
    repository.git("config", "core.checkStat", "minimal")
    repository.git("status")

    def edit() -> None:
        file.write_text("mode\n")  # as long as before
        os.utime(file, (LONG_AGO, LONG_AGO))

    return edit


def hides_in_a_nested_repository(repository: Repository) -> Callable[[], object]:
    file = repository.write("vendored/lib.py")
    repository.begin(at="vendored")
    repository.write("a.py")
    repository.begin()
    return lambda: file.write_text("edited\n")


HIDDEN = [
    hides_by_assume_unchanged,
    hides_by_skip_worktree,
    hides_by_line_ends,
    hides_by_configured_line_ends,
    hides_by_a_filter,
    hides_by_an_exclude_file,
    hides_by_an_ignore_file,
    hides_in_an_ignored_directory,
    hides_by_times,
    hides_in_a_nested_repository,
]


@pytest.mark.parametrize("hide", HIDDEN)
def test_x2_an_edit_that_git_does_not_see_changes_the_id_of_the_content(
    repository: Repository, hide: Callable[[Repository], Callable[[], object]]
) -> None:
    repository.disk = LaterDisk()
    edit = hide(repository)
    before, naive = repository.content(), repository.naive_tree()
    assert repository.content() == repository.fresh_content() == before
    edit()
    assert repository.naive_tree() == naive, "the control: git gives the same tree"
    assert repository.content() != before
    assert repository.content() == repository.fresh_content()


def test_x2_the_id_is_that_of_gits_tree_where_git_sees_everything(repository: Repository) -> None:
    for name in ("b.txt", "b/1", "b-c", "b0/deep/er", "ключ.md", "sp ace", ".hidden"):
        repository.write(name, f"in {name}")
    repository.write("run.sh").chmod(0o755)
    (repository.root / "link").symlink_to("nowhere")
    (repository.root / os.fsdecode(b"latin-\xe9")).write_text("x")
    repository.begin()
    assert repository.content() == f"tree:{repository.naive_tree()}"
    assert repository.fresh_content() == f"tree:{repository.naive_tree()}"


def test_x2_an_empty_directory_has_an_id_and_a_missing_one_says_so(repository: Repository) -> None:
    repository.git("init", "--quiet")
    assert repository.content() == f"tree:{repository.git('write-tree')}"
    shutil.rmtree(repository.root)
    assert repository.content() == UNREADABLE


@pytest.mark.parametrize("is_git", [False, True])
def test_x2_every_change_of_content_changes_the_id_and_nothing_else_does(
    repository: Repository,
    is_git: bool,  # noqa: FBT001
) -> None:
    file, other = repository.write("a/file", "one"), repository.write("b", "two")
    if is_git:
        repository.begin()
    (repository.root / "link").symlink_to("b")
    known = {repository.content()}

    def is_new() -> bool:
        found = repository.content()
        is_other = found not in known
        known.add(found)
        return is_other

    assert not is_new()
    file.write_text("two")
    assert is_new()
    file.write_text("one")
    assert not is_new(), "the content is as it was"
    file.chmod(0o755)
    assert is_new()
    (repository.root / "link").unlink()
    (repository.root / "link").symlink_to("a")
    assert is_new()
    (repository.root / "empty").mkdir()
    assert is_new()
    os.mkfifo(repository.root / "pipe")
    assert is_new()
    other.rename(repository.root / "c")
    assert is_new()
    (repository.root / "c").touch()
    repository.write(".outlast/k/journal.jsonl")
    repository.write("a/__pycache__/x.pyc")
    repository.write("a/.git/HEAD")
    assert not is_new(), "plans, caches and what git keeps are no content"


def test_x2_equal_content_has_the_same_id_wherever_it_lies(tmp_path: Path) -> None:
    ids = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        repository = Repository(tmp_path / name)
        repository.write("a.py")
        ids.append(repository.content())
    assert ids[0] == ids[1]


def test_x2_a_large_file_counts_by_its_size_inode_and_times(repository: Repository) -> None:
    large = repository.root / "large"
    with large.open("wb") as file:
        file.truncate((16 << 20) + 1)
    before = repository.content()
    assert repository.content() == before
    assert "+" in before
    with large.open("r+b") as file:
        file.write(b"x")
    os.utime(large, (LONG_AGO, LONG_AGO))
    assert repository.content() != before


def test_x2_a_huge_ignored_directory_is_looked_at_up_to_a_bound(repository: Repository) -> None:
    repository.write(".gitignore", "node_modules/\n")
    for number in range(210):
        directory = repository.root / "node_modules" / f"m{number}"
        directory.mkdir(parents=True)
        for name in range(100):
            (directory / f"{name}.js").touch()
    before = repository.content()
    assert repository.content() == before
    (repository.root / "node_modules" / "m5" / "5.js").write_text("edited")
    within = repository.content()
    assert within != before
    (repository.root / "node_modules" / "m99" / "added.js").touch()
    assert repository.content() != within, "a directory that is not looked into has times"


def test_x2_of_too_many_entries_the_directories_that_are_not_looked_into_have_times(
    repository: Repository,
) -> None:
    for number in range(5):
        repository.write(f"d{number}/file")
    indexes = TreeIndexes(StateHome(str(repository.state)), most_entries=6)
    before = indexes.content_id(str(repository.root))
    assert indexes.content_id(str(repository.root)) == before
    (repository.root / "d0" / "file").write_text("edited")
    within = indexes.content_id(str(repository.root))
    assert within != before
    repository.write("d4/added")
    assert indexes.content_id(str(repository.root)) != within


def test_x2_a_deep_directory_has_an_id(repository: Repository) -> None:
    deep = "/".join(["d"] * 70)
    repository.write(f"{deep}/file")
    before = repository.content()
    assert repository.content() == before
    assert "+" in before


def test_x2_a_gitignore_that_is_no_file_names_nothing_and_leaves_nothing_open(
    repository: Repository,
) -> None:
    repository.write("a.py")
    (repository.root / "d" / ".gitignore").mkdir(parents=True)
    (repository.root / "pipe").mkdir()
    os.mkfifo(repository.root / "pipe" / ".gitignore")
    writer = os.open(repository.root / "pipe" / ".gitignore", os.O_RDWR)  # a read would wait
    try:
        before, opened = repository.content(), {*Path("/proc/self/fd").iterdir()}
        assert repository.content() == before
        assert {*Path("/proc/self/fd").iterdir()} == opened
    finally:
        os.close(writer)
    repository.write("d/a.py")
    assert repository.content() != before


def test_x2_rules_beyond_a_bound_name_nothing(repository: Repository) -> None:
    for number in range(5):
        repository.write(f"d{number}/.gitignore", "a.py\n".ljust(64 << 10, "#"))
        repository.write(f"d{number}/a.py")
    before = repository.content().partition("+")[0]
    repository.write("d0/a.py", "edited")
    assert repository.content().partition("+")[0] == before, "it is ignored"
    repository.write("d4/a.py", "edited")
    assert repository.content().partition("+")[0] != before


def test_x2_an_index_that_is_damaged_or_open_to_others_is_not_believed(
    repository: Repository,
) -> None:
    file, trees = repository.write("a.py"), repository.state / "outlast" / "trees"
    before = repository.content()
    assert not trees.exists(), "what has just been written may be written again at the same time"
    repository.disk = LaterDisk()
    assert repository.content() == before
    [index] = trees.iterdir()
    index.write_bytes(b"\xff\xff")
    assert repository.content() == before
    index.chmod(0o666)
    assert repository.content() == before
    file.write_text("edited")
    assert repository.content() != before


@pytest.mark.parametrize("disk", [LaterDisk(), SharedDisk()])
def test_x2_an_index_that_nobody_needs_any_more_is_removed(
    repository: Repository, disk: Disk
) -> None:
    repository.disk = disk
    repository.write("a.py")
    repository.content()
    [index] = (repository.state / "outlast" / "trees").iterdir()
    old = index.with_name("0" * 64)
    old.touch(0o600)
    os.utime(old, (LONG_AGO, LONG_AGO))
    index.unlink()
    repository.content()
    assert not old.exists()
    assert index.exists()


def test_x2_nothing_that_a_repository_configures_is_run(repository: Repository) -> None:
    canary = repository.state / "canary"
    spy = repository.write("spy.sh", f"#!/bin/sh\necho ran >> {canary}\ncat\n")
    spy.chmod(0o755)
    file = repository.write("a.py")
    repository.begin()
    repository.write(".gitattributes", "*.py filter=spy diff=spy merge=spy\n")
    for key in ("filter.spy.clean", "filter.spy.smudge", "core.fsmonitor", "diff.spy.textconv"):
        repository.git("config", key, str(spy))
    repository.write(".git/hooks/post-index-change", spy.read_text()).chmod(0o755)
    file.write_text("edited")
    repository.content()
    repository.fresh_content()
    assert not canary.exists()
    repository.naive_tree()
    assert canary.exists(), "the control: git runs it"
