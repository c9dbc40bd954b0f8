"""Every tool with a path: no way out of the workspace, plain files only."""

import asyncio
import os
from pathlib import Path

import pytest

from outlast.adapters.stores.layouts import HOMES
from tests.adapters.tools.run_tool import WITH_PATH, make_tool, problem

OUTSIDE = ["", "..", "../x", "../work/../secret.txt", "a/../../x", "/etc/passwd", "/", "a\0b"]
OUTSIDE += ["x/../..", "/proc/self/root/etc", "./../secret.txt", "//etc/passwd", "/dev/stdin"]
EVERY = pytest.mark.parametrize("name", WITH_PATH)


def run(work: Path, name: str, path: object, *, outside: bool = False) -> str:
    return asyncio.run(make_tool(work, name, outside=outside).run(WITH_PATH[name](path)))


@EVERY
@pytest.mark.parametrize("path", OUTSIDE)
def test_a4_a_path_out_of_the_workspace_is_refused(name: str, path: str, work: Path) -> None:
    assert "inside the workspace" in problem(lambda: run(work, name, path))
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
        path = f"{base}/{home.upper()}/journal.jsonl"
        said = problem(lambda path=path: run(work, name, path, outside=outside))  # type: ignore[misc]
        assert "the plan's own tools" in said or (base != work and not outside)


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
@pytest.mark.parametrize("path", [3, ["a"], "\ud800", "x" * 70_000])
def test_a_path_must_be_text(name: str, path: object, work: Path) -> None:
    assert problem(lambda: run(work, name, path)).startswith("path: expected")
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
