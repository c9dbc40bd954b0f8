"""F6, F17: sound commits that no plan can have, and those of a newer version, are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from outlast.errors import DamagedJournal, NewerFormat
from outlast.language import explain
from outlast.model import changes as c
from outlast.model.commands import Pause
from outlast.model.model import MAIN, Phase, Task
from outlast.store import journal
from outlast.store.files.repair import check_integrity, repair
from outlast.store.journal import add_checksum, verify_checksum
from tests.store.faults import QuickDisk
from tests.store.operations import CREATE, JOURNAL, NOW, change, make_store, open_store
from tests.store.sqlite import databases as sqlite

if TYPE_CHECKING:
    from pathlib import Path

    from outlast.plan.home.database import Database

CREATED = c.PlanCreated("plan_x", "Goal", NOW, NOW, CREATE.key, phases=(MAIN,))
FIRST = c.TaskAdded(Task(1, "first"))
TWICE = (Phase("a", "A"), Phase("a", "B"))
CONTRADICTIONS: dict[str, tuple[c.Change, ...]] = {
    "a task id twice": (c.TaskAdded(Task(1, "again")),),
    "a task id twice in one commit": tuple(c.TaskAdded(Task(2, name)) for name in "ab"),
    "task 0": (c.TaskAdded(Task(0, "none")),),
    "a negative task": (c.TaskAdded(Task(-5, "minus five")),),
    "a phase id twice": (c.PhaseAdded(MAIN, 1),),
    "a phase id twice from the start": (replace(CREATED, phases=TWICE),),
    "ids that go on below 1": (replace(CREATED, next_id=-3),),
}
every_contradiction = pytest.mark.parametrize("name", CONTRADICTIONS)


def lines_with(*last: c.Change) -> list[bytes]:
    """Return the lines of a plan whose last commit has some changes."""
    commits: list[tuple[c.Change, ...]] = [(CREATED,), (FIRST,), last, (c.PlanPaused(),)]
    return [
        journal.write_commit(c.Commit(revision, NOW, "ann", changes))
        for revision, changes in enumerate(commits, 1)
    ]


def put_journal(path: Path, lines: list[bytes]) -> bytes:
    content = journal.write_header(CREATE.key) + b"".join(lines)
    (path / JOURNAL).write_bytes(content)
    return content


def put_rows(path: Path, lines: list[bytes]) -> Database:
    """Put lines into a database that has a plan."""
    sqlite.begin(path).close()
    sqlite.sql(path, "delete from commits")
    for place, line in enumerate(lines, 1):
        sqlite.sql(
            path,
            "insert into commits select id, "  # noqa: S608 - our own lines
            f"{place}, {place}, '{journal.mark_of(line)}', x'{line.rstrip().hex()}' from plans",
        )
    return sqlite.database(path)


@every_contradiction
def test_f6_a_line_that_contradicts_the_lines_before_it_is_named(ram_path: Path, name: str) -> None:
    lines = lines_with(*CONTRADICTIONS[name])
    content = put_journal(ram_path, lines)
    offset = content.index(lines[2])
    with pytest.raises(DamagedJournal):
        check_integrity(str(ram_path), QuickDisk(), NOW)
    with pytest.raises(DamagedJournal) as caught:
        open_store(ram_path)
    assert caught.value.text == "line_contradicts"
    assert caught.value.details == {"path": str(ram_path / JOURNAL), "offset": offset}
    assert f"{offset}" in explain(caught.value, "zh")
    assert (ram_path / JOURNAL).read_bytes() == content
    assert repair(str(ram_path), QuickDisk(), NOW)
    store = open_store(ram_path)
    assert store.read(lambda state: [*state.tasks])[:1] == [1]
    assert store.read(lambda state: state.status) == "paused"
    store.close()


@every_contradiction
def test_f6_a_row_that_contradicts_the_rows_before_it_is_named(ram_path: Path, name: str) -> None:
    home = put_rows(ram_path, lines_with(*CONTRADICTIONS[name]))
    with pytest.raises(DamagedJournal) as caught:
        home.open(CREATE.key, NOW)
    assert (caught.value.text, caught.value.details["row"]) == ("row_contradicts", 3)
    assert "outlast doctor --repair" in explain(caught.value)
    assert home.repair(CREATE.key, NOW)
    home.open(CREATE.key, NOW).close()


@pytest.mark.parametrize("revision", [-1, 0, 2, 9])
def test_f6_a_revision_that_is_negative_or_given_twice_is_damage(
    ram_path: Path, revision: int
) -> None:
    lines = lines_with(c.PlanBegun())
    lines[2] = journal.write_commit(c.Commit(revision, NOW, "ann", (c.PlanBegun(),)))
    content = put_journal(ram_path, lines)
    store = open_store(ram_path)
    assert store.read(lambda state: state.revision) == 2
    with pytest.raises(DamagedJournal) as caught:
        change(store, (Pause(),))
    assert caught.value.details["offset"] == content.index(lines[2])
    store.close()


def newer_line(line: bytes) -> bytes:
    body = verify_checksum(line.rstrip())
    assert body is not None
    return add_checksum(body.replace(b'"type":"PlanBegun"', b'"type":"PlanTeleported"'))


@pytest.mark.parametrize("is_last", [True, False])
def test_f17_a_change_of_a_newer_version_is_refused_and_never_dropped(
    ram_path: Path, *, is_last: bool
) -> None:
    lines = lines_with(c.PlanBegun())
    lines[2] = newer_line(lines[2])
    content = put_journal(ram_path, lines[:3] if is_last else lines)
    for use in (open_store, lambda path: check_integrity(str(path), QuickDisk(), NOW), mend):
        with pytest.raises(NewerFormat) as caught:
            use(ram_path)
        assert caught.value.details == {"revision": 3, "change": "PlanTeleported"}
    assert "newer Outlast" in explain(caught.value)
    assert (ram_path / JOURNAL).read_bytes() == content
    assert [path.name for path in ram_path.iterdir()] == [JOURNAL]


def mend(path: Path) -> object:
    return repair(str(path), QuickDisk(), NOW)


def test_f17_an_open_plan_refuses_the_change_of_a_newer_version(ram_path: Path) -> None:
    store = make_store(ram_path)
    revision = store.read(lambda state: state.revision)
    line = newer_line(journal.write_commit(c.Commit(revision + 1, NOW, "ann", (c.PlanBegun(),))))
    with (ram_path / JOURNAL).open("ab") as file:
        file.write(line)
    content = (ram_path / JOURNAL).read_bytes()
    for _ in range(2):
        with pytest.raises(NewerFormat):
            store.read(lambda state: state.revision)
        with pytest.raises(NewerFormat):
            change(store, (Pause(),))
    store.close()
    assert (ram_path / JOURNAL).read_bytes() == content


def test_f17_a_row_of_a_newer_version_is_refused_and_never_dropped(ram_path: Path) -> None:
    lines = lines_with(c.PlanBegun())
    home = put_rows(ram_path, [*lines[:2], newer_line(lines[2]), lines[3]])
    for use in (home.open, home.check_integrity, home.repair):
        with pytest.raises(NewerFormat):
            use(CREATE.key, NOW)
    assert len(sqlite.sql(ram_path, "select * from commits")) == len(lines)
