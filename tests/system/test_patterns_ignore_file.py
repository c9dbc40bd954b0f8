"""What `.gitignore` says about files and directories."""

from time import process_time

import pytest

from outlast.system.patterns import IgnoredFiles

SECONDS = 5  # of the processor; it takes a hundredth of one
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


@pytest.mark.parametrize(("anything", "answers"), [("**/" * 60, [True] * 3), ("", [False] * 3)])
def test_f15_hostile_patterns_take_no_time(anything: str, answers: list[bool]) -> None:
    lines = ["*a" * 90, "a*/" * 60, "[" * 190, "!" * 190, "x" * 5_000, anything]
    names = ["a" * 250 + "b", "/".join(["b"] * 100), "[" * 100]
    begun = process_time()
    ignored = IgnoredFiles("\n".join(lines * 50))
    assert [ignored.has(name) for name in names] == answers
    assert process_time() - begun < SECONDS
