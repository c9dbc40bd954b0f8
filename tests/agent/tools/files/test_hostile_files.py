"""A12, F15: files with a valid checksum and any content give typed errors and nothing else."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from outlast import create_plan, open_plan
from outlast.errors import NewerFormat, OutlastError, StoreError
from outlast.store.journal import add_checksum, verify_checksum
from tests.making import count_iteration
from tests.plan.places import SEED, drop, names

DEEP = b"[" * 100_000 + b"]" * 100_000
VALUES: list[Any] = [
    *(None, True, -1, 0, 10**30, 10**400, 1e308, "", "x", "\x00", "../..", "9" * 400),
    *([], {}, [[]], [{}], [None], {"type": "x"}, [1, 2], ["main"], [[[[[[]]]]]]),
    *("2026-13-45T00:00:00Z", "0001-01-01T00:00:00+23:59", "cos\nsystem\n(S'true'\ntR."),
]
LONG = "why " * 6000, "why " * 12000  # enough for a snapshot
RAW = [b"{}", b'{"a":1,"a":2}', b"NaN}", b'{"x":%b}' % DEEP, b"garbage}", b'{"revision":1e999}']


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container in a JSON value with every key of it."""
    found: list[tuple[Any, Any]] = []
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        found.append((value, key))
        if isinstance(item, dict | list):
            found += places(item)
    return found


def make(workspace: Path) -> Path:
    """Make a plan with a snapshot; return its directory."""
    with create_plan(workspace, "Ship it", "ship") as plan:
        plan.add("a", reasoning=LONG[0])
        plan.add("b", [1], reasoning=LONG[1])
        plan.add("c")
        plan.fail(1, "no luck", retry=False)
        plan.claim(3)
        plan.add_phase("Later")
    directory = workspace / ".outlast" / "plans" / "ship"
    views = ["rendered.json", "task_plan.md"]
    assert names(directory) == sorted(["journal.jsonl", "snapshot.json", *views])
    return directory


def use(workspace: Path) -> str:
    """Do with a plan what people do; return the error that says it cannot be done."""
    try:
        with open_plan(workspace, "ship") as plan:
            plan.tasks()
            plan.history.commits()
            plan.add("c")
            plan.undo()
    except OutlastError as error:
        return error.code
    return ""


def hostile(whole: bytes) -> list[bytes]:
    """Return a line with something else at every place in it, sealed again."""
    body = verify_checksum(whole.rstrip(b"\n"))
    assert body is not None
    made = [add_checksum(raw) for raw in RAW]
    for number in range(len(places(json.loads(body)))):
        for value in VALUES:
            copy = json.loads(body)
            container, key = places(copy)[number]
            container[key] = value
            made.append(add_checksum(json.dumps(copy).encode()))
    return made


def shortened(line: bytes) -> bytes:
    """Return a line without the long texts, for there are thousands to come."""
    body = verify_checksum(line.rstrip(b"\n"))
    assert body is not None
    for text in reversed(LONG):
        body = body.replace(text.encode(), b"why")
    return add_checksum(body)


@pytest.mark.slow
def test_a12_a_hostile_snapshot_never_gets_in(tmp_path: Path) -> None:
    directory = make(tmp_path)
    journal, snapshot = directory / "journal.jsonl", directory / "snapshot.json"
    good = journal.read_bytes()
    for line in hostile(shortened(snapshot.read_bytes())):
        snapshot.write_bytes(line)
        use(tmp_path)
        journal.write_bytes(good)


@pytest.mark.slow
def test_a12_a_hostile_line_is_an_error_that_has_a_name(tmp_path: Path) -> None:
    directory = make(tmp_path)
    journal = directory / "journal.jsonl"
    good = [shortened(line) for line in journal.read_bytes().splitlines()]
    (directory / "snapshot.json").unlink()
    for number, line in enumerate(good):
        for bad in hostile(line):
            journal.write_bytes(b"".join([*good[:number], bad, *good[number + 1 :]]))
            use(tmp_path)


def test_a12_a_whole_line_that_is_not_understood_is_not_taken_for_a_torn_one(
    tmp_path: Path,
) -> None:
    create_plan(tmp_path, "Ship it", "ship").close()
    journal = tmp_path / ".outlast" / "plans" / "ship" / "journal.jsonl"
    before = journal.read_bytes() + add_checksum(
        b'{"revision":2,"changes":[{"type":"FromTheFuture"}]}'
    )
    journal.write_bytes(before)
    with pytest.raises(NewerFormat):
        open_plan(tmp_path, "ship")
    assert journal.read_bytes() == before


def test_a12_a_snapshot_that_contradicts_itself_is_none(tmp_path: Path) -> None:
    snapshot = make(tmp_path) / "snapshot.json"
    body = verify_checksum(snapshot.read_bytes().rstrip(b"\n"))
    assert body is not None
    forged = {**json.loads(body), "phases": [{"id": "other", "title": "Other"}]}
    snapshot.write_bytes(add_checksum(json.dumps(forged).encode()))
    with open_plan(tmp_path, "ship") as plan:
        assert [phase.id for phase in plan.phases] == ["main", "later"]


def test_a12_garbage_with_a_checksum_behind_a_bad_line_is_damage(tmp_path: Path) -> None:
    create_plan(tmp_path, "Ship it", "ship").close()
    journal = tmp_path / ".outlast" / "plans" / "ship" / "journal.jsonl"
    good = journal.read_bytes()
    for garbage in RAW:
        before = good + b"torn\n" + add_checksum(garbage)
        journal.write_bytes(before)
        assert use(tmp_path) == "DAMAGED_JOURNAL"
        assert journal.read_bytes() == before


@pytest.mark.parametrize("name", ["journal.jsonl", "snapshot.json"])
@pytest.mark.parametrize("kind", ["link", "fifo", "directory", "device"])
def test_a12_an_odd_file_neither_hangs_nor_leads_away(kind: str, name: str, tmp_path: Path) -> None:
    odd = make(tmp_path) / name
    odd.unlink()
    if kind == "fifo":
        os.mkfifo(odd)
    elif kind == "directory":
        odd.mkdir()
    else:
        odd.symlink_to("/dev/zero" if kind == "device" else "/etc/passwd")
    if name == "journal.jsonl":
        with pytest.raises(StoreError):
            open_plan(tmp_path, "ship")
    else:
        assert open_plan(tmp_path, "ship").task(1).status == "failed"


def documents() -> list[bytes]:
    """Return the document's example with something else at every place in it, and worse."""
    whole = json.loads(SEED.read_bytes())
    made = [b"[" * 100_000, DEEP, b'{"goal":%b}' % DEEP, b"NaN", b'{"goal":NaN}', b'{"a":1,"a":1}']
    made += [b'{"iteration_count":%b}' % (b"9" * 100_000), b"\xef\xbb\xbf{}", b'"\\ud800"', b"{"]
    for number in range(len(places(whole))):
        for value in [*VALUES, math.inf, math.nan]:
            copy = json.loads(SEED.read_bytes())
            container, key = places(copy)[number]
            container[key] = value
            made.append(json.dumps(copy).encode())
    return made


@pytest.mark.slow
def test_a12_a_hostile_plan_json_is_taken_in_whole_or_refused(tmp_path: Path) -> None:
    for number, content in enumerate(documents()):
        view = drop(tmp_path, content, f"k{number}")
        try:
            with open_plan(tmp_path, f"k{number}") as plan:
                count_iteration(plan)
                again = open_plan(tmp_path, f"k{number}")
                assert again.tasks() == plan.tasks()
                again.close()
        except OutlastError:
            assert view.read_bytes() == content
