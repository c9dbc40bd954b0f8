"""What `.gitignore` says about files and directories."""

import time

import pytest

from outlast.system.patterns import IgnoredFiles

SECONDS = 5  # of computing; it takes a thousandth of that
TEXT = """
# built
build/
*.log
/top
docs/_build
a/**/z
keep*
!keep.txt
 spaced
"""


@pytest.mark.parametrize(
    "path",
    [
        *("build", "src/build", "x.log", "deep/down/x.log", "top", "docs/_build", "a/z", "a/b/c/z"),
        *("docs/_build/page", "keeper", "spaced", ".git", "src/.git"),
    ],
)
def test_a_path_is_ignored(path: str) -> None:
    assert IgnoredFiles(TEXT, [".git"]).has(path)


@pytest.mark.parametrize(
    "path", ["src/a.py", "builder", "src/top", "docs/page", "keep.txt", "log", "#", ".github/x"]
)
def test_a_path_is_kept(path: str) -> None:
    assert not IgnoredFiles(TEXT, [".git"]).has(path)


def test_without_patterns_nothing_is_ignored() -> None:
    assert not IgnoredFiles().has("a/b")


def test_f15_hostile_patterns_take_no_time() -> None:
    lines = ["*a" * 90, "**/" * 60, "a*/" * 60, "[" * 190, "!" * 190, "x" * 5_000]
    began = time.process_time()
    ignored = IgnoredFiles("\n".join(lines * 50))
    names = ["a" * 250 + "b", "/".join(["a"] * 100), "[" * 100]
    for name in names:
        ignored.has(name)
    assert time.process_time() - began < SECONDS
