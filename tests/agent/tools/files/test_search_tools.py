"""`list_directory`, `glob` and `grep`, and line ranges of `read_file`."""

import asyncio
import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlast.agent.tools.files import read as reading
from outlast.agent.tools.files import search as searching
from outlast.agent.tools.files.read import Grep
from outlast.agent.tools.files.search import Search
from tests.agent.tools.run_tool import WITH_PATH, make_tool, problem, refusal, run_tool

QUIETLY = [HealthCheck.function_scoped_fixture]
NAMES = st.text("ab.", min_size=1, max_size=2).filter(lambda name: name not in (".", ".."))
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=3).map(tuple), max_size=6)
PARTS = st.sampled_from(["**", "*", "a*", "?", "a", "b.", "[ab]", "*.*"])


@pytest.fixture
def tree(work: Path) -> Path:
    for path in ("src/a.py", "src/deep/b.py", "src/deep/c.txt", ".hidden", ".git/x.py"):
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(f"import {path}\n\tsecret one\n")
    (work / ".outlast/plans").mkdir(parents=True)
    (work / ".outlast/plans/journal.jsonl").write_text("secret\n")
    (work / "link.py").symlink_to("src/a.py")
    (work / "away").symlink_to(work.parent)
    os.mkfifo(work / "pipe")
    return work


def test_a_directory_is_listed_in_order_with_what_things_are(tree: Path) -> None:
    assert run_tool(tree, "list_directory").splitlines() == [
        *(".git/", ".hidden", "away@", "link.py@", "pipe?", "src/")
    ]
    assert run_tool(tree, "list_directory", path="src") == "a.py\ndeep/"
    (tree / "none").mkdir()
    assert run_tool(tree, "list_directory", path="none") == "(nothing found)"
    assert refusal(tree, "list_directory", path="src/a.py") == (
        "src/a.py: expected a directory; read_file shows a file"
    )


def test_a6_names_are_shown_on_one_line_whatever_is_in_them(work: Path) -> None:
    (work / "a\nb\x1b[2J").write_text("x")
    (work / os.fsdecode(b"\xff")).write_text("x")
    for said in (run_tool(work, "list_directory"), run_tool(work, "glob", pattern="*")):
        assert said.splitlines() == ["a\\nb\\x1b[2J", "\ufffd"]
    said = run_tool(work, "grep", pattern="x")
    assert said.splitlines() == ["a\\nb\\x1b[2J:1: x", "\ufffd:1: x"]


def test_f15_long_lists_are_cut_and_say_so(work: Path) -> None:
    for number in range(reading.MAX_NAMES + 1):
        (work / f"{number:04}").touch()
    assert run_tool(work, "list_directory").endswith("0999\n(and 1 more)")
    assert run_tool(work, "glob", pattern="*").endswith(
        "0999\n(only the first 1,000; narrow the search)"
    )
    assert reading.MAX_FILES == 1000


def test_files_are_found_by_pattern(tree: Path) -> None:
    assert run_tool(tree, "glob", pattern="**/*.py") == "link.py\nsrc/a.py\nsrc/deep/b.py"
    assert run_tool(tree, "glob", pattern="src/*") == "src/a.py"
    assert run_tool(tree, "glob", pattern="*.py", path="src/deep") == "src/deep/b.py"
    assert run_tool(tree, "glob", pattern=f"{tree}/src/**") == "\n".join(
        f"{tree}/src/{name}" for name in ("a.py", "deep/b.py", "deep/c.txt")
    )
    assert run_tool(tree, "glob", pattern="*.rs") == "(nothing found)"
    assert run_tool(tree, "glob", pattern=".outlast/**") == "(nothing found)"
    assert refusal(tree, "glob", pattern="../*") == (
        "../*: outside; send a path inside the workspace"
    )
    assert "inside the workspace" in refusal(tree, "glob", pattern="/etc/*")
    assert refusal(tree, "glob", pattern="*", path="src/a.py").endswith("read_file shows a file")
    assert refusal(tree, "glob") == 'pattern: missing; send "…"'


def is_match(names: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Match by trying everything."""
    if not pattern:
        return not names
    if pattern[0] == "**":
        return any(is_match(names[skipped:], pattern[1:]) for skipped in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], pattern[0]) and is_match(names[1:], pattern[1:])


@settings(suppress_health_check=QUIETLY)
@given(paths=PATHS, pattern=st.lists(PARTS, min_size=1, max_size=4).map(tuple))
def test_glob_finds_what_a_simple_search_finds(
    paths: list[tuple[str, ...]], pattern: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    work = tmp_path_factory.mktemp("glob")
    for path in paths:
        try:
            work.joinpath(*path[:-1]).mkdir(parents=True, exist_ok=True)
            work.joinpath(*path).touch()
        except OSError:
            continue
    files = [p.relative_to(work).parts for p in work.rglob("*") if p.is_file()]
    expected = {"/".join(names) for names in files if is_match(names, pattern)}
    said = run_tool(work, "glob", pattern="/".join(pattern))
    assert ({*said.splitlines()} if said != "(nothing found)" else set()) == expected


def test_lines_are_found_in_files_but_not_behind_links(tree: Path) -> None:
    found = run_tool(tree, "grep", pattern=r"secret \w+$").splitlines()
    assert found == [
        f"{path}:2: \tsecret one"
        for path in (".hidden", "src/a.py", "src/deep/b.py", "src/deep/c.txt")
    ]
    assert run_tool(tree, "grep", pattern="IMPORT", ignore_case=True, names="*.txt") == (
        "src/deep/c.txt:1: import src/deep/c.txt"
    )
    assert run_tool(tree, "grep", pattern="one", path="src/a.py") == "src/a.py:2: \tsecret one"
    assert run_tool(tree, "grep", pattern="one", path="src/deep", names="b*").startswith(
        "src/deep/b.py:"
    )
    assert run_tool(tree, "grep", pattern="nowhere") == "(nothing found)"


def test_what_is_no_text_or_too_large_is_not_searched(work: Path) -> None:
    (work / "image").write_bytes(b"x\0secret")
    (work / "huge").write_bytes(b"secret\n" * (searching.MAX_FILE_BYTES // 7 + 1))
    (work / "latin").write_bytes(b"secret \xff\n")
    assert run_tool(work, "grep", pattern="secret") == "latin:1: secret \ufffd"


def test_f15_matches_and_lines_are_cut(work: Path) -> None:
    (work / "long").write_text("x" * 3_000 + "secret" + "y" * 3_000 + "\n")
    (work / "longer").write_text("x" * 5_000 + "secret\n")
    [found] = run_tool(work, "grep", pattern="secret").splitlines()
    assert len(found) < searching.MAX_SHOWN + 20
    assert "xsecrety" in found
    (work / "many").write_text("secret\n" * (reading.MAX_MATCHES + 1))
    said = run_tool(work, "grep", pattern="secret", path="many").splitlines()
    assert len(said) == reading.MAX_MATCHES + 1
    assert said[-1] == "(only the first 200; narrow the search)"
    (work / "wide").write_text(("é" * 299 + "\n") * reading.MAX_MATCHES)
    said = run_tool(work, "grep", pattern="é", path="wide").splitlines()
    assert said[-1].startswith("(only the first")


@pytest.mark.slow
def test_f15_a_pattern_that_takes_for_ever_is_ended_and_the_loop_goes_on(work: Path) -> None:
    (work / "a").write_text("a" * 60 + "!\n")
    beats = 0

    async def search() -> str:
        nonlocal beats
        tool = Grep(str(work))
        tool.seconds = 1
        searching = asyncio.create_task(tool.run({"pattern": "(a+)+$"}))
        while not searching.done():
            beats += 1
            await asyncio.sleep(0.01)
        return await searching

    assert "more than 1 s" in problem(lambda: asyncio.run(search()))
    assert beats > 5


def test_a_bad_search_is_refused_in_words(work: Path) -> None:
    assert refusal(work, "grep", pattern="(").startswith("pattern: missing )")
    assert refusal(work, "grep") == 'pattern: missing; send "…"'
    assert "at most" in refusal(work, "grep", pattern="x" * 1_001)
    assert refusal(work, "grep", pattern="x", ignore_case=1).startswith("ignore_case: expected")


def test_a10_nothing_from_the_workspace_is_loaded_by_a_search(work: Path) -> None:
    for name in ("re.py", "json.py", "outlast.py", "sitecustomize.py", "usercustomize.py"):
        (work / name).write_text("raise SystemExit('loaded')\n")
    assert run_tool(work, "grep", pattern="^raise", names="re.py").startswith("re.py:1:")


@settings(suppress_health_check=QUIETLY)
@given(
    texts=st.dictionaries(st.sampled_from("abc"), st.text("xyé \n\r\t", max_size=30), max_size=3),
    pattern=st.sampled_from(["x", "x+y", "^y", "é$", "[xy]é", " "]),
)
def test_grep_finds_what_a_simple_search_finds(
    texts: dict[str, str], pattern: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    work = tmp_path_factory.mktemp("grep")
    for name, text in texts.items():
        (work / name).write_bytes(text.encode())
    expected = [
        (name, number, line)
        for name in sorted(texts)
        for number, line in enumerate(texts[name].splitlines(), 1)
        if re.search(pattern, line)
    ]
    fd = os.open(work, os.O_RDONLY)
    try:
        wanted = {"pattern": pattern, "ignore_case": False, "names": "*", "limit": 200, "fd": fd}
        wanted["in_plans"] = False
        assert Search(wanted).run() == {"matches": expected, "cut": False, "skipped": 0}
    finally:
        os.close(fd)


def test_lines_of_a_file_are_read(work: Path) -> None:
    (work / "a").write_bytes(b"one\ntwo\r\nthree")
    assert run_tool(work, "read_file", path="a", offset=2, limit=1) == "two\r\n"
    assert run_tool(work, "read_file", path="a", offset=3) == "three"
    assert run_tool(work, "read_file", path="a", limit=2) == "one\ntwo\r\n"
    assert run_tool(work, "read_file", path="a", offset=9) == ""
    for name in ("offset", "limit"):
        for wrong in (-1, 1.5, "one", True, [2]):
            assert refusal(work, "read_file", path="a", **{name: wrong}).startswith(f"{name}: ")
        empties: tuple[object, ...] = (0, "", None, [])
        for empty in empties:
            assert run_tool(work, "read_file", path="a", **{name: empty}) == "one\ntwo\r\nthree"
    assert run_tool(work, "read_file", path="a", offset="2", limit=1.0) == "two\r\n"
    (work / "big").write_bytes(b"x" * 99 + b"\n" + b"y" * 99 + b"\n" + b"z" * 1_000_000)
    assert run_tool(work, "read_file", path="big", offset=2, limit=1) == "y" * 99 + "\n"
    assert "offset and limit" in refusal(work, "read_file", path="big", offset=3)


@pytest.mark.parametrize("name", ["read_file", "list_directory", "glob", "grep"])
def test_x3_a_read_tool_may_be_repeated(name: str, work: Path) -> None:
    assert make_tool(work, name).settle(WITH_PATH[name]("a")) == "not_done"
    assert make_tool(work, name).level == "read"


def test_f15_a_walk_through_too_much_is_cut(work: Path) -> None:
    deep = work
    for _ in range(70):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "bottom").touch()
    said = run_tool(work, "glob", pattern="**/bottom")
    assert said == "(only the first 0; narrow the search)"
