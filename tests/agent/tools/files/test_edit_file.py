"""`edit_file`: one occurrence or all of them, atomically."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlast.agent.tools.files import write as writing
from outlast.agent.tools.files.write import EditFile
from outlast.errors import LockTimeout, ToolFailed
from tests.agent.tools.run_tool import journaled_params, make_tool, refusal, run_tool
from tests.store.faults import FaultyDisk, Killed, QuickDisk
from tests.store.observed_disk import ImpatientDisk

ONCE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
SHORT = st.text("ab\n", max_size=4)
BEFORE = "an old text\n"


def write_text(work: Path, text: str) -> Path:
    file = work / "a"
    file.write_text(text, newline="")
    return file


def params(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"path": "a", "old": old, "new": new, **more}


def test_a_piece_that_is_there_once_is_replaced(work: Path) -> None:
    file = write_text(work, "one\r\ntwo\r\nthree\r\n")
    file.chmod(0o700)
    assert run_tool(work, "edit_file", **params("two\r\n", "2\r\n")) == "Replaced 1 occurrence"
    assert file.read_bytes() == b"one\r\n2\r\nthree\r\n"
    assert file.stat().st_mode & 0o777 == 0o700
    assert [one.name for one in work.iterdir()] == ["a"]


def test_an_ambiguous_edit_is_refused_with_advice(work: Path) -> None:
    file = write_text(work, "x x")
    assert "old occurs 2 times" in refusal(work, "edit_file", **params("x", "y"))
    assert "not found in the file" in refusal(work, "edit_file", **params("z", "y"))
    assert "two different" in refusal(work, "edit_file", **params("", "y"))
    assert "two different" in refusal(work, "edit_file", **params("x", "x"))
    said = refusal(work, "edit_file", **params("x", "\ud800", replace_all=True))
    assert said.startswith("content: expected")
    assert refusal(work, "edit_file", path="a", new="y") == 'old: missing; send "…"'
    assert "replace_all" in refusal(work, "edit_file", **params("x", "y", replace_all="yes"))
    assert file.read_text() == "x x"
    assert (
        run_tool(work, "edit_file", **params("x", "y", replace_all=True))
        == "Replaced 2 occurrences"
    )
    assert file.read_text() == "y y"


def test_f15_neither_the_file_nor_what_becomes_of_it_may_be_too_large(work: Path) -> None:
    file = write_text(work, "x" * writing.MAX_BYTES)
    assert "at most" in refusal(work, "edit_file", **params("x", "yy", replace_all=True))
    file.write_bytes(b"x" * (writing.MAX_BYTES + 1))
    assert "larger" in refusal(work, "edit_file", **params("x", "y"))
    file.write_bytes(b"\xff x")
    assert "UTF-8" in refusal(work, "edit_file", **params("x", "y"))


@ONCE
@given(text=st.text("ab\n", max_size=12), old=SHORT, new=SHORT, every=st.booleans())
def test_it_edits_as_python_replaces(
    text: str, old: str, new: str, *, every: bool, work: Path
) -> None:
    file = write_text(work, text)
    wanted = params(old, new, replace_all=every)
    count = text.count(old)
    try:
        run_tool(work, "edit_file", **wanted)
    except ToolFailed:
        assert not old or old == new or not count or (count > 1 and not every)
        assert file.read_bytes().decode() == text
    else:
        assert file.read_bytes().decode() == text.replace(old, new)
        assert every or count == 1


def killed_at_each_call(work: Path, wanted: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what the file holds and what the tool says of it, after a death at each disk call."""
    write_text(work, BEFORE)
    counting = FaultyDisk(QuickDisk())
    asyncio.run(EditFile(str(work), counting).run(wanted))
    for call in range(1, len(counting.calls) + 1):
        file = write_text(work, BEFORE)
        known = journaled_params(work, "edit_file", wanted)
        with pytest.raises(Killed):
            asyncio.run(EditFile(str(work), FaultyDisk(QuickDisk(), call, torn=1)).run(wanted))
        settled = EditFile(str(work), QuickDisk()).settle(known)
        assert [one.name for one in work.iterdir()] == ["a"], "swept"
        yield file.read_text(), settled


@pytest.mark.parametrize("length", [1, 59, 61, 201, 2_000])
def test_f1_an_edit_killed_at_any_call_is_all_or_nothing_and_can_be_settled(
    length: int, work: Path
) -> None:
    new = "new\n" * length
    assert set(killed_at_each_call(work, params("old", new))) == {
        (BEFORE, "not_done"),
        (BEFORE.replace("old", new), "done"),
    }


def test_x3_an_edit_that_puts_in_more_of_the_same_settles_too(work: Path) -> None:
    wanted = params("a", "aa", replace_all=True)
    assert {settled for _, settled in killed_at_each_call(work, wanted)} == {"done", "not_done"}


@ONCE
@given(text=st.text("ab", max_size=9), old=SHORT, new=SHORT, every=st.booleans())
def test_x3_an_edit_always_settles_by_itself(
    text: str, old: str, new: str, *, every: bool, work: Path
) -> None:
    write_text(work, text)
    wanted = params(old, new, replace_all=every)
    known = journaled_params(work, "edit_file", wanted)
    assert EditFile(str(work), QuickDisk()).settle(known) == "not_done"
    with suppress(ToolFailed):
        run_tool(work, "edit_file", **wanted)
        assert EditFile(str(work), QuickDisk()).settle(known) == "done"


@pytest.mark.parametrize("now", ["somebody else's", None, b"\xff", "x" * (writing.MAX_BYTES + 1)])
@pytest.mark.parametrize("name", ["edit_file", "write_file"])
def test_x3_a_file_changed_by_others_settles_as_unknown(
    name: str, now: str | bytes | None, work: Path
) -> None:
    file = write_text(work, BEFORE)
    known = journaled_params(work, name, {**params("old", "new"), "content": "new"})
    file.unlink()
    if now is not None:
        file.write_bytes(now if isinstance(now, bytes) else now.encode())
    assert make_tool(work, name).settle(known) == "unknown"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (params("nowhere", "y"), "not_done"),
        (params("old", "old"), "not_done"),
        ({"path": "a", "old": "x"}, "not_done"),
        ({"path": "gone", "old": "x", "new": "y"}, "not_done"),
        ({"path": "gone/deep", "old": "x", "new": "y"}, "not_done"),
        ({"path": "a/b", "old": "x", "new": "y"}, "not_done"),
        ({"path": "../a", "old": "x", "new": "y"}, "not_done"),
        ({"path": None, "old": "x", "new": "y"}, "not_done"),
        ({"path": "x" * 250, "old": "x", "new": "y"}, "unknown"),
    ],
)
def test_x3_an_edit_that_is_refused_has_not_been_made(
    wanted: dict[str, Any], found: str, work: Path
) -> None:
    write_text(work, BEFORE)
    known = journaled_params(work, "edit_file", wanted)
    assert EditFile(str(work), QuickDisk()).settle(known) == found


def test_x3_the_journal_keeps_short_texts_only(work: Path) -> None:
    write_text(work, BEFORE)
    known = journaled_params(work, "edit_file", {**params("old", "n" * 61), "was": "model's"})
    assert known.keys() == {"path", "old", "was", "will_be"}
    assert known["was"] == sha256(BEFORE.encode()).hexdigest()


def test_f7_who_edits_a_file_waits_for_who_is_writing_it(work: Path) -> None:
    (work / "a.txt").write_text("old")
    edit = EditFile(str(work), ImpatientDisk())
    wanted = {"path": "a.txt", "old": "old", "new": "new"}
    disk = QuickDisk()
    fd = disk.open(str(work), os.O_RDONLY | os.O_DIRECTORY, 0)
    try:
        disk.lock(fd)
        with pytest.raises(LockTimeout):
            asyncio.run(edit.run(wanted))
        assert (work / "a.txt").read_text() == "old"
    finally:
        disk.close(fd)
    asyncio.run(edit.run(wanted))
    assert (work / "a.txt").read_text() == "new"
