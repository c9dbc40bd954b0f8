"""The files of git, which is read and never run."""

import subprocess
from pathlib import Path

import pytest

from outlast.system.git import exclude_file, is_tracked


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "main"
    (root / "a" / "b").mkdir(parents=True)
    for name in ("a/b/c.json", "a/b/other.json"):
        (root / name).write_text("{}")
    git(root, "init", "--quiet")
    git(root, "add", "a/b/c.json")
    return root


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(  # noqa: S603 - the git here
        ["git", "-C", root, *identity, *arguments],  # noqa: S607
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout.strip()


def test_a_file_in_the_index_is_tracked(checkout: Path) -> None:
    assert is_tracked(str(checkout), "a/b/c.json")
    for name in ("a/b/other.json", "b/c.json", "c.json", "a/b/c"):
        assert not is_tracked(str(checkout), name)
    assert not is_tracked(str(checkout / "a"), "b/c.json"), "no checkout"


def test_a_worktree_shares_what_is_ignored_and_has_an_index_of_its_own(checkout: Path) -> None:
    git(checkout, "commit", "--quiet", "-m", "first")
    other = checkout.parent / "other"
    git(checkout, "worktree", "add", "--quiet", str(other))
    expected = str(checkout / ".git" / "info" / "exclude")
    assert exclude_file(str(checkout)) == exclude_file(str(other)) == expected
    git(other, "rm", "--quiet", "--cached", "a/b/c.json")
    assert is_tracked(str(checkout), "a/b/c.json")
    assert not is_tracked(str(other), "a/b/c.json")
