"""`read_file` and `write_file`: inside the workspace, plain files only, atomically."""

import asyncio
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from outlast import create_plan
from outlast.agent.tools.files import read as reading
from outlast.agent.tools.files import write as writing
from outlast.agent.tools.files.read import ReadFile
from outlast.agent.tools.files.write import WriteFile
from outlast.errors import OutlastError
from outlast.plan.home.layouts import HOMES
from outlast.store.port import Layout
from tests.agent.tools.run_tool import journaled_params, problem
from tests.store.faults import FaultyDisk, Killed, QuickDisk
from tests.store.observed_disk import RecordingDisk


def read(work: Path, path: Any) -> str:
    return asyncio.run(ReadFile(str(work)).run({"path": path}))


def write(work: Path, path: Any, content: Any = "text") -> str:
    return asyncio.run(WriteFile(str(work), QuickDisk()).run({"path": path, "content": content}))


def test_what_is_written_can_be_read(work: Path) -> None:
    assert write(work, "deep/er/a.txt", "Grüße\n") == "8 bytes written"
    assert read(work, "deep/er/a.txt") == "Grüße\n"
    assert read(work, f"{work}/deep/./er/../er/a.txt") == "Grüße\n"
    write(work, "deep/er/a.txt", "")
    assert read(work, "deep/er/a.txt") == ""
    assert os.listdir(work / "deep/er") == ["a.txt"]  # noqa: PTH208 - hidden ones too


def test_a_file_keeps_its_mode(work: Path) -> None:
    write(work, "new")
    assert not stat.S_IMODE((work / "new").stat().st_mode) & 0o111
    (work / "run.sh").write_text("old")
    for mode in (0o700, 0o4700):  # who wrote it last is not whose rights it was given
        (work / "run.sh").chmod(mode)
        write(work, "run.sh")
        assert stat.S_IMODE((work / "run.sh").stat().st_mode) == 0o700


@pytest.mark.parametrize("below", ["{}/x/journal.jsonl", "a/{}/b", "{}", "./{}/../{}/b"])
@pytest.mark.parametrize("spelled", [str, str.title])
@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("tool", [read, write])
def test_a4_the_files_of_plans_are_not_for_tools(
    tool: Callable[[Path, str], str],
    home: str,
    spelled: Callable[[str], str],
    below: str,
    work: Path,
) -> None:
    path = below.replace("{}", spelled(home))
    assert "the files of plans" in problem(lambda: tool(work, path))
    assert not list(work.iterdir())


@pytest.mark.parametrize("layout", ["outlast", "sessions"])
def test_a4_no_tool_writes_to_a_journal(layout: Layout, work: Path) -> None:
    with create_plan(work, "Ship it", "k", layout=layout) as plan:
        plan.add("One")
        [journal] = work.rglob("journal.jsonl")
        before = journal.read_bytes()
        for path in (journal, journal.relative_to(work)):
            problem(lambda path=path: write(work, str(path)))  # type: ignore[misc]
        assert journal.read_bytes() == before


@pytest.mark.parametrize("tool", [read, write])
def test_f10_links_are_not_followed(tool: Callable[[Path, str], str], work: Path) -> None:
    (work / "file").symlink_to(work.parent / "secret.txt")
    (work / "directory").symlink_to(work.parent)
    (work / "nowhere").symlink_to(work.parent / "new.txt")
    for path in ("file", "directory/secret.txt", "nowhere", "directory"):
        problem(lambda path=path: tool(work, path))  # type: ignore[misc]
    assert (work.parent / "secret.txt").read_text() == "secret"
    assert not (work.parent / "new.txt").exists()


@pytest.mark.parametrize("tool", [read, write])
def test_f10_only_plain_files_are_touched(tool: Callable[[Path, str], str], work: Path) -> None:
    os.mkfifo(work / "pipe")
    (work / "directory").mkdir()
    assert problem(lambda: tool(work, "pipe")) == "pipe: expected a regular file"
    for path in ("directory", "directory/"):
        assert problem(lambda path=path: tool(work, path)) == (  # type: ignore[misc]
            "directory: expected a file, got a directory; list_directory shows what is in it"
        )


def test_f10_a_pipe_in_the_way_of_an_unfinished_file_is_swept(work: Path) -> None:
    write(work, "a")
    unfinished = next(iter(leftovers(work, "rename")))
    (work / unfinished).unlink()
    os.mkfifo(work / unfinished)
    write(work, "a", "c")
    assert os.listdir(work) == ["a"]  # noqa: PTH208


def leftovers(work: Path, deadly: str) -> set[str]:
    disk = FaultyDisk(QuickDisk())
    disk.deadly = deadly
    with pytest.raises(Killed):
        asyncio.run(WriteFile(str(work), disk).run({"path": "a", "content": "b"}))
    return set(os.listdir(work)) - {"a"}  # noqa: PTH208


def test_f15_too_much_is_refused(work: Path) -> None:
    (work / "big").write_bytes(b"x" * (reading.MAX_SHOWN + 1))
    (work / "fits").write_bytes(b"x" * reading.MAX_SHOWN)
    (work / "huge").write_bytes(b"")
    os.truncate(work / "huge", reading.MAX_FILE_BYTES + 1)
    assert problem(lambda: read(work, "big")).startswith(
        f"big: more than {reading.MAX_SHOWN:,} bytes"
    )
    limit = f"{reading.MAX_FILE_BYTES:,}"
    assert problem(lambda: read(work, "huge")) == f"huge: larger than {limit} bytes"
    assert len(read(work, "fits")) == reading.MAX_SHOWN
    assert "at most" in problem(lambda: write(work, "big", "é" * (writing.MAX_BYTES // 2 + 1)))
    write(work, "big", "é" * (writing.MAX_BYTES // 2))


@pytest.mark.parametrize("content", [None, [3], {"a": 1}, True, "\ud800"])
def test_a_content_must_be_text(content: Any, work: Path) -> None:
    said = problem(lambda: write(work, "a", content))
    assert said.startswith("content: missing" if content is None else "content: expected")
    assert not (work / "a").exists()


def test_what_is_no_text_cannot_be_read(work: Path) -> None:
    (work / "image").write_bytes(b"\xff\xd8")
    assert problem(lambda: read(work, "image")) == "image: expected UTF-8 text"
    assert problem(lambda: read(work, "gone")) == "gone: No such file or directory"
    assert problem(lambda: read(work, "image/x")) == "image/x: Not a directory"


def test_f5_a_full_disk_leaves_the_old_file_and_nothing_else(work: Path) -> None:
    write(work, "a", "old")
    counting = FaultyDisk(QuickDisk())
    params = {"path": "a", "content": "new"}
    asyncio.run(WriteFile(str(work), counting).run(params))
    write(work, "a", "old")
    for call, kind in enumerate(counting.calls, 1):
        if kind in ("open", "write", "sync", "rename"):
            full = FaultyDisk(QuickDisk(), call, error=OSError(28, "full"))
            tool = WriteFile(str(work), full)
            said = problem(lambda tool=tool: asyncio.run(tool.run(params)))  # type: ignore[misc]
            assert said == "a: No space left on device"
            assert not full.held
            assert read(work, "a") == "old"
            assert os.listdir(work) == ["a"]  # noqa: PTH208


@pytest.mark.parametrize("length", [1, 100])
@pytest.mark.parametrize("before", [None, "old"])
def test_f1_a_write_killed_at_any_call_is_all_or_nothing_and_can_be_settled(
    before: str | None, length: int, work: Path
) -> None:
    params = {"path": "sub/a", "content": "new" * length}
    counting, found = FaultyDisk(QuickDisk()), set()
    write(work, "sub/a", "old")
    asyncio.run(WriteFile(str(work), counting).run(params))
    for call in range(1, len(counting.calls) + 1):
        for torn in (0, 1, 299):
            write(work, "sub/a", "old")
            if before is None:
                (work / "sub/a").unlink()
            known = journaled_params(work, "write_file", params)
            with pytest.raises(Killed):
                asyncio.run(
                    WriteFile(str(work), FaultyDisk(QuickDisk(), call, torn=torn)).run(params)
                )
            settled = WriteFile(str(work), QuickDisk()).settle(known)
            there = [one.name for one in (work / "sub").iterdir()]
            now = read(work, "sub/a") if there else None
            assert there in ([], ["a"]), "swept"
            assert (now, settled) in ((before, "not_done"), (params["content"], "done"))
            found.add(settled)
    assert found == {"done", "not_done"}


@pytest.mark.parametrize(
    ("path", "content", "before", "after"),
    [
        ("a", "other", "not_done", "done"),
        ("a", "other" * 100, "not_done", "done"),
        ("a", "text", "done", "done"),
        ("new/deeper", "text", "not_done", "done"),
        ("image", "text", "not_done", "done"),
        ("big", "text", "not_done", "done"),
        ("../a", "text", "not_done", "not_done"),
        ("directory", "text", "not_done", "not_done"),
        ("a/b", "text", "not_done", "not_done"),
        (None, "text", "not_done", "not_done"),
        ("a", None, "not_done", "not_done"),
        ("x" * 250, "text", "unknown", "unknown"),
    ],
)
def test_x3_a_write_is_settled_by_what_the_file_holds(
    path: Any, content: Any, before: str, after: str, work: Path
) -> None:
    write(work, "a")
    (work / "image").write_bytes(b"\xff\xd8")
    (work / "directory").mkdir()
    (work / "big").write_bytes(b"x" * (writing.MAX_BYTES + 1))
    known = journaled_params(work, "write_file", {"path": path, "content": content})
    assert WriteFile(str(work)).settle(known) == before
    with suppress(OutlastError):
        write(work, path, content)
    assert WriteFile(str(work)).settle(known) == after


def test_x3_a_file_that_cannot_be_looked_at_leaves_it_unknown(work: Path) -> None:
    write(work, "a")
    counting = FaultyDisk(QuickDisk())
    known = journaled_params(work, "write_file", {"path": "a", "content": "text"})
    assert WriteFile(str(work), counting).settle(known) == "done"
    assert {"open", "lock", "mode", "stat", "read"} <= set(counting.calls)
    for call in range(1, len(counting.calls) + 1):
        disk = FaultyDisk(QuickDisk(), call, error=OSError(5, "broken"))
        assert WriteFile(str(work), disk).settle(known) == "unknown", counting.calls[call - 1]


def test_x3_a_read_may_be_repeated(work: Path) -> None:
    assert ReadFile(str(work)).settle({"path": "a"}) == "not_done"


def test_f2_what_was_written_survives_a_power_cut(work: Path) -> None:
    disk = RecordingDisk()
    asyncio.run(WriteFile(str(work), disk).run({"path": "deep/a.txt", "content": "text"}))
    kinds = [call[0] for call in disk.calls]
    written = kinds[kinds.index("sync") :]
    assert written == ["sync", "rename", "sync directory"]
    assert disk.position("make directory", f"{work}/deep") < disk.position(
        "sync directory", str(work)
    )
