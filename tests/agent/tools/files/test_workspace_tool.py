"""Every tool with a path: no way out of the workspace, plain files only."""

import asyncio
import os
from pathlib import Path

import pytest

from outlast.plan.home.layouts import HOMES
from tests.agent.tools.run_tool import WITH_PATH, make_tool, problem

OUTSIDE = ["..", "../x", "../work/../secret.txt", "a/../../x", "/etc/passwd", "/", "a\0b"]
OUTSIDE += ["x/../..", "/proc/self/root/etc", "./../secret.txt", "//etc/passwd", "/dev/stdin"]
OUTSIDE += ["'../x'", "file:///etc/passwd", "file:..%2fx", "..\\x", "C:\\x", "C:/x", "~/../../x"]
OUTSIDE += ["`/etc/passwd`", "/srcs/../etc/passwd", "/workspace/../etc/passwd"]
OPTIONAL = ("list_directory", "glob", "grep", "bash")
EVERY = pytest.mark.parametrize("name", WITH_PATH)


def run(work: Path, name: str, path: object, *, outside: bool = False) -> str:
    return asyncio.run(make_tool(work, name, outside=outside).run(WITH_PATH[name](path)))


@EVERY
@pytest.mark.parametrize("path", OUTSIDE)
def test_a4_a_path_out_of_the_workspace_is_refused(name: str, path: str, work: Path) -> None:
    assert "send a path inside the workspace" in problem(lambda: run(work, name, path))
    assert make_tool(work, name).permission_request(WITH_PATH[name](path)) is None
    assert sorted(p.name for p in work.parent.iterdir()) == ["secret.txt", "work"]


@EVERY
@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("outside", [False, True])
def test_a4_the_files_of_plans_are_not_for_tools(
    name: str, home: str, *, outside: bool, work: Path
) -> None:
    for base in (work, work.parent):
        (base / home).mkdir()
        (base / home / "journal.jsonl").write_text("secret")
        for spelled in (home, home.upper()):
            path = f"{base}/{spelled}/journal.jsonl"
            said = problem(lambda path=path: run(work, name, path, outside=outside))  # type: ignore[misc]
            is_refused = "the files of plans" in said or "No such file" in said
            assert is_refused or (base != work and not outside)
        assert (base / home / "journal.jsonl").read_text() == "secret"


@pytest.mark.parametrize("name", OPTIONAL)
@pytest.mark.parametrize("empty", ["", None, [], {}])
def test_an_optional_path_that_is_empty_is_absent(name: str, empty: object, work: Path) -> None:
    (work / "secret.txt").write_text("secret")
    assert "secret" in run(work, name, empty)
    assert make_tool(work, name, outside=True).permission_request(WITH_PATH[name](empty)) is None


@pytest.mark.parametrize("name", sorted(set(WITH_PATH) - set(OPTIONAL)))
@pytest.mark.parametrize("empty", ["", " ", '""', None])
def test_a_path_that_is_missing_is_asked_for_without_an_example_to_copy(
    name: str, empty: object, work: Path
) -> None:
    said = problem(lambda: run(work, name, empty))
    assert said.startswith("path: missing; send ")
    assert "src/main.py" not in said  # a small model would send it


def test_a_wrong_name_for_the_path_is_named(work: Path) -> None:
    tool = make_tool(work, "read_file")
    said = problem(lambda: asyncio.run(tool.run({"file": "a"})))
    assert said.startswith('path: missing; send "…"; file: unknown; expected path')


MEANT = ["./sub", "sub/", " sub\n", "'sub'", '"sub"', "`sub`", "\u201csub\u201d", "sub\\."]
MEANT += ["file:sub", "file://sub", "/sub", "/workspace/sub", "sub/../sub", "file:%73ub"]


@EVERY
@pytest.mark.parametrize("path", [*MEANT, "{work}/sub", "file://{work}/sub", "~/work/sub"])
def test_a_path_is_read_as_people_mean_it(
    name: str, path: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(work.parent))
    meant = path.replace("{work}", str(work))
    directory = work / "sub"
    if name in OPTIONAL:
        directory.mkdir()
        (directory / "secret.txt").write_text("secret")
    elif not meant.strip("\n").endswith(("/", ".")):
        directory.write_text("secret")
    if not directory.exists():
        return
    assert "sub" in run(work, name, meant) or name not in ("glob", "grep")
    assert make_tool(work, name, outside=True).permission_request(WITH_PATH[name](meant)) is None
    assert sorted(p.name for p in work.parent.iterdir()) == ["secret.txt", "work"]


def test_a_file_of_exactly_that_name_comes_first(work: Path) -> None:
    for name in ("a\\b", "'q'", "~", "file:x"):
        (work / name).write_text(name)
        assert run(work, "read_file", name) == name


def test_a_missing_file_is_refused_with_what_may_be_meant(work: Path) -> None:
    (work / "src/deep").mkdir(parents=True)
    (work / "src/deep/Main.py").touch()
    said = problem(lambda: run(work, "read_file", "main.py"))
    assert said == "main.py: there is no such file; did you mean src/deep/Main.py?"
    said = problem(lambda: run(work, "read_file", "src/deep/mian.py"))
    assert said.endswith("did you mean src/deep/Main.py?")
    assert problem(lambda: run(work, "bash", "sources/dep")).endswith("did you mean src/deep?")
    assert problem(lambda: run(work, "read_file", "other")) == "other: No such file or directory"
    said = problem(lambda: run(work, "read_file", "/etc/mian.py", outside=True))
    assert said == "/etc/mian.py: No such file or directory"


@EVERY
def test_f10_links_are_not_followed(name: str, work: Path) -> None:
    (work / "file").symlink_to(work.parent / "secret.txt")
    (work / "directory").symlink_to(work.parent)
    (work / "round").symlink_to(work / "round")
    for path in ("file", "directory/secret.txt", "directory", "directory/work", "round"):
        for outside in (False, True):
            problem(lambda p=path, o=outside: run(work, name, p, outside=o))  # type: ignore[misc]
    assert (work.parent / "secret.txt").read_text() == "secret"


@EVERY
def test_f10_no_tool_waits_for_a_pipe_or_touches_a_device(name: str, work: Path) -> None:
    os.mkfifo(work / "pipe")
    assert "expected" in problem(lambda: run(work, name, "pipe"))
    for device in ("/dev/zero", "/dev/tty", "/dev/full"):
        said = problem(lambda d=device: run(work, name, d, outside=True))  # type: ignore[misc]
        assert "expected a regular file" in said


@EVERY
@pytest.mark.parametrize("path", [1.5, ["a"], "\ud800", "x" * 70_000])
def test_a_path_must_be_text(name: str, path: object, work: Path) -> None:
    said = problem(lambda: run(work, name, path))
    assert said.removeprefix("cwd").removeprefix("path").startswith(": expected")
    assert make_tool(work, name, outside=True).permission_request(WITH_PATH[name](path)) is None


@EVERY
def test_a_path_outside_needs_permission_where_it_may_be_allowed(name: str, work: Path) -> None:
    tool = make_tool(work, name, outside=True)
    there = (
        work.parent if name in ("list_directory", "glob", "bash") else work.parent / "secret.txt"
    )
    (work.parent / "link").symlink_to(there)
    for path in (str(there), os.path.relpath(there, work), "../link"):
        request = tool.permission_request(WITH_PATH[name](path))
        assert request is not None
        assert (request.kind, request.items) == ("outside", (f"path:{there}",))
        (work.parent / "secret.txt").write_text("secret")
        run(work, name, path, outside=True)
    assert tool.permission_request(WITH_PATH[name]("inside/it")) is None


@EVERY
def test_a_detour_back_into_the_workspace_is_inside(name: str, work: Path) -> None:
    (work.parent / "back").symlink_to(work)
    (work / "secret.txt").write_text("secret")
    (work / "sub").mkdir()
    tool = make_tool(work, name, outside=True)
    path = "../back/sub" if name in ("list_directory", "glob", "bash") else "../back/secret.txt"
    assert tool.permission_request(WITH_PATH[name](path)) is None


def test_a6_a_name_with_control_characters_is_not_suggested(work: Path) -> None:
    (work / "main\x1b.py").touch()
    assert problem(lambda: run(work, "read_file", "main.py")).endswith("No such file or directory")


def test_f15_a_path_of_any_form_takes_no_time(work: Path) -> None:
    for path in ("a" + " " * 60_000 + "b", '"' * 60_000, "\\" * 60_000, "../" * 20_000):
        problem(lambda path=path: run(work, "read_file", path))  # type: ignore[misc]
