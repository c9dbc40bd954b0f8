"""X2: a digest changes with every file that its patterns match, and with nothing else."""

import os
from mmap import mmap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.proof.checks.workspace_files import FileDigests, WorkspaceFiles, escape_pattern
from tests.open_files import open_files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("src/a.py", "src/deep/b.py", "src/deep/c.txt", "tests/t.py", "README"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path


def digest(root: Path, *patterns: str) -> str:
    return FileDigests(WorkspaceFiles(str(root))).compute(patterns)


def is_change_seen(root: Path, path: str, *patterns: str) -> bool:
    """Tell whether a change of a file, or a new one, alters the digest of some patterns."""
    before = digest(root, *patterns)
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("changed")
    return digest(root, *patterns) != before


@pytest.mark.parametrize(
    ("pattern", "path", "seen"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "src/b.py", False),
        ("src/*.py", "src/new.py", True),
        ("src/*.py", "src/deep/b.py", False),
        ("src/**/*.py", "src/deep/b.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/deep/c.txt", False),
        ("**/b.py", "src/deep/b.py", True),
        ("**", "README", True),
        ("src", "src/deep/c.txt", True),
        ("src/", "src/deep/new", True),
        ("./src/**", "src/deep/c.txt", True),
        ("src/**", "tests/t.py", False),
        ("src/?.py", "src/a.py", True),
        ("src/[ab].py", "src/b.py", True),
        ("src/[!a].py", "src/a.py", False),
        ("*", "src/a.py", False),
        ("**", ".outlast/plans/k/journal.jsonl", False),
        ("**", ".git/index", False),
        ("**", "src/__pycache__/a.pyc", False),
        ("src/**/**/**/b.py", "src/deep/b.py", True),
        ("../**", "README", False),
        ("/**", "README", False),
        ("src/../README", "README", False),
    ],
)
def test_x2_files_that_a_pattern_matches(root: Path, pattern: str, path: str, seen: bool) -> None:  # noqa: FBT001 - a column of the table
    assert is_change_seen(root, path, pattern) is seen


def test_nothing_has_no_digest(root: Path) -> None:
    assert digest(root) == ""


def test_x2_order_and_repetition_of_patterns_do_not_matter(root: Path) -> None:
    assert digest(root, "src/**", "tests/**") == digest(root, "tests/**", "src/**", "src/**")
    assert digest(root, "src/**") != digest(root, "src/**", "tests/**")


def test_x2_removing_renaming_and_making_runnable_are_seen(root: Path) -> None:
    found = {digest(root, "src/**")}
    (root / "src/a.py").rename(root / "src/z.py")
    found.add(digest(root, "src/**"))
    (root / "src/z.py").chmod(0o755)
    found.add(digest(root, "src/**"))
    (root / "src/z.py").unlink()
    found.add(digest(root, "src/**"))
    assert len(found) == 4


def test_x2_a_change_that_keeps_size_and_time_is_seen(root: Path) -> None:
    digests, file = FileDigests(WorkspaceFiles(str(root))), root / "src/a.py"
    before, times = digests.compute(["src/**"]), file.stat()
    file.write_text("SRC/A.PY")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert digests.compute(["src/**"]) != before


def test_a4_links_count_by_where_they_point_and_are_not_followed(root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir(exist_ok=True)
    (root / "src/link").symlink_to(outside)
    before = digest(root, "src/**")
    (outside / "new").write_text("new")
    assert digest(root, "src/**") == before
    (root / "src/link").unlink()
    (root / "src/link").symlink_to("a.py")
    assert digest(root, "src/**") != before


def test_x2_what_a_link_leads_to_in_the_workspace_counts(root: Path) -> None:
    (root / "links").mkdir()
    (root / "links/one").symlink_to("../README")
    (root / "links/deep").symlink_to("../src/deep")
    (root / "links/round").symlink_to("..")
    assert is_change_seen(root, "README", "links/**")
    assert is_change_seen(root, "src/deep/b.py", "links/deep/*.py")
    assert not is_change_seen(root, "src/deep/c.txt", "links/deep/*.py")
    assert is_change_seen(root, "src/deep/new.py", "links")
    (root / "links/nowhere").symlink_to("gone")
    assert is_change_seen(root, "links/gone", "links/nowhere")


def test_a10_a_link_out_of_the_workspace_or_to_its_plans_is_not_followed(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    away = tmp_path_factory.mktemp("away")
    (root / ".outlast").mkdir()
    (root / "links").mkdir()
    (root / "links/away").symlink_to(away)
    (root / "links/plans").symlink_to("../.outlast")
    before = digest(root, "links/**")
    (away / "new").write_text("new")
    (root / ".outlast/new").write_text("new")
    assert digest(root, "links/**") == before


def test_x2_the_files_of_git_count_if_they_are_named(root: Path) -> None:
    assert is_change_seen(root, ".git/config", ".git/config")
    assert is_change_seen(root, ".git/hooks/pre-commit", ".git/hooks/**")
    assert is_change_seen(root, "src/__pycache__/a.pyc", "src/__pycache__")
    for pattern in ("**", "*", ".*/**", "src/*/*.pyc"):
        assert not is_change_seen(root, ".git/config", pattern)
        assert not is_change_seen(root, "src/__pycache__/a.pyc", pattern)
    assert not is_change_seen(root, ".outlast/plans/k", ".outlast/**")


def test_f10_pipes_do_not_hang(root: Path) -> None:
    before = digest(root, "**")
    os.mkfifo(root / "pipe")
    assert digest(root, "**") != before


def test_a_digest_of_too_much_is_partial(root: Path) -> None:
    assert digest(root, "**").startswith("sha256:")
    with (root / "large").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    assert digest(root, "large").startswith("partial:")
    assert digest(root, "src/**").startswith("sha256:")
    (root / Path(*["d"] * 70)).mkdir(parents=True)
    assert digest(root, "d/**").startswith("partial:")


def test_a_workspace_that_is_gone_has_a_digest_too(tmp_path: Path) -> None:
    assert digest(tmp_path / "nowhere", "**") == "unreadable"


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1))
def test_an_escaped_path_matches_itself(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    root = tmp_path_factory.mktemp("names")
    if name in (".", "..") or len(name.encode()) > 200:
        return
    (root / "other").write_text("x")
    before = digest(root, escape_pattern(name))
    (root / name).write_text("y")
    if name == "other":
        return
    assert digest(root, escape_pattern(name)) != before


def test_x2_a_file_written_twice_within_one_tick_of_its_times_is_read_twice(root: Path) -> None:
    file = root / "README"
    digests = FileDigests(WorkspaceFiles(str(root)))
    with file.open("r+b") as opened, mmap(opened.fileno(), 0) as content:
        content[:1] = b"x"  # what comes through the same mapping changes no time of the file
        status, before = file.stat(), digests.compute(["README"])
        content[:1] = b"y"
        after = file.stat()
        assert digests.compute(["README"]) != before
    same = ("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
    assert [getattr(status, name) for name in same] == [getattr(after, name) for name in same]


def test_x2_a_file_that_came_or_was_exchanged_shows(root: Path) -> None:
    digests = FileDigests(WorkspaceFiles(str(root)))
    before = digests.observe(["src/**"])
    assert digests.observe(["src/**"]).is_untouched_since(before)
    (root / "src/new.py").write_text("new")
    assert not digests.observe(["src/**"]).is_untouched_since(before)
    (root / "src/new.py").unlink()
    assert digests.observe(["src/**"]).is_untouched_since(before)
    text = (root / "src/a.py").read_text()
    (root / "src/a.py").unlink()
    (root / "src/a.py").write_text(text)
    exchanged = digests.observe(["src/**"])
    assert exchanged.digest == before.digest
    assert not exchanged.is_untouched_since(before)


def test_x2_a_link_that_was_exchanged_for_an_equal_one_shows(root: Path) -> None:
    link = root / "link"
    link.symlink_to("src/a.py")
    digests = FileDigests(WorkspaceFiles(str(root)))
    before = digests.observe(["link"])
    assert digests.observe(["link"]).is_untouched_since(before)
    link.rename(root / "old")
    link.symlink_to("src/a.py")
    exchanged = digests.observe(["link"])
    assert exchanged.digest == before.digest
    assert not exchanged.is_untouched_since(before)


def test_x2_a_file_of_the_largest_size_is_read_and_a_larger_one_is_not(root: Path) -> None:
    size = 64 * 1024 * 1024
    with (root / "large").open("wb") as file:
        file.truncate(size)
    assert digest(root, "large").startswith("sha256:")
    os.truncate(root / "large", size + 1)
    assert digest(root, "large").startswith("partial:")


def test_x2_many_large_files_are_not_all_read(root: Path) -> None:
    for number in range(9):  # 540 MB together; each of them alone is read
        with (root / f"large{number}").open("wb") as file:
            file.truncate(60 * 1024 * 1024)
    assert digest(root, "large8").startswith("sha256:")
    assert digest(root, "large*").startswith("partial:")


def test_x2_observing_leaves_no_file_open(root: Path) -> None:
    (root / "link").symlink_to("src")
    digests = FileDigests(WorkspaceFiles(str(root)))
    for _ in range(3):
        digests.observe(["**", "missing/**"])
        digests.observe_settled(["src/a.py"])
    assert not [path for path in open_files(os.getpid()) if path.startswith(str(root))]
