"""Sessions in the user's state directory."""

import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest

from outlast.errors import LockTimeout, StoreError
from outlast.hosts.session_record import Offers, SessionRecord
from outlast.hosts.sessions import SessionFiles, SpooledPayload
from outlast.proof.around import while_checks_run
from outlast.system.disk import Disk
from outlast.system.state_home import StateHome
from tests.hosts.coding_agent import CodingAgent, make_plan
from tests.open_files import open_files
from tests.store.faults import FaultyDisk, QuickDisk

RECORD = SessionRecord("codex", "s1", "/project", "ship", "plan_1", guard=True, todos={"1": 2})
OFFERS = Offers("next\n", "remind\n", 3, "ship 0/2", decides_tools=True, decides_failures=True)


class ImpatientDisk(QuickDisk):
    """A disk that waits for no lock."""

    def lock_seconds(self) -> float:
        return 0.0


def sessions_in(place: Path, disk: Disk | None = None) -> SessionFiles:
    disk = disk or QuickDisk()
    return SessionFiles(StateHome(str(place), disk), disk)


def test_r4_04_a_session_is_attached_and_detached(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    assert sessions.read("codex", "s1") is None
    assert sessions.all() == []
    sessions.write(RECORD)
    assert sessions.read("codex", "s1") == RECORD
    assert sessions.read("gemini", "s1") is None
    assert sessions.all() == [RECORD]
    sessions.offer(RECORD, OFFERS, (), 0)
    (Path(sessions.directory("codex", "s1")) / "spool" / "1").write_bytes(b"{}")
    assert sessions.remove("codex", "s1")
    assert not Path(sessions.directory("codex", "s1")).exists()
    assert not sessions.remove("codex", "s1")


def test_a5_only_the_user_can_read_it(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    sessions.write(RECORD)
    sessions.offer(RECORD, OFFERS, (), 0)
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a4_an_id_that_is_no_name_is_no_session(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    for session in ("", "..", "../s1", "a/b", "s1\n", "x" * 200):
        assert sessions.read("codex", session) is None


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"host":"codex"}', b'{"host":"x","session":"s1"}', b"x" * (2 << 20)]
)
def test_r4_04_a_record_that_cannot_be_read_is_none(tmp_path: Path, data: bytes) -> None:
    sessions = sessions_in(tmp_path)
    sessions.write(RECORD)
    (Path(sessions.directory("codex", "s1")) / "session.json").write_bytes(data)
    assert sessions.read("codex", "s1") is None


def test_a13_the_record_of_another_session_does_not_count(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    sessions.write(RECORD)
    (tmp_path / "outlast" / "hosts" / "codex" / "s1").rename(
        tmp_path / "outlast" / "hosts" / "codex" / "s2"
    )
    assert sessions.read("codex", "s2") is None


def test_r4_05_offers_hold_until_a_file_of_the_plan_is_written(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path / "new")
    (tmp_path / "new").mkdir()
    journal, view = tmp_path / "journal", tmp_path / "view"
    files = (str(journal), str(view))
    journal.touch()
    os.utime(journal, ns=(5, 5))
    sessions.write(RECORD)
    base = Path(sessions.directory("codex", "s1")) / "base"
    sessions.offer(RECORD, OFFERS, files, 5)
    assert base.stat().st_mtime_ns == 5
    view.touch()
    os.utime(view, ns=(9, 9))  # written when the plan was closed
    sessions.offer(RECORD, OFFERS, files, 5)
    assert base.stat().st_mtime_ns == 9
    os.utime(journal, ns=(7, 7))  # another process was faster
    sessions.offer(RECORD, OFFERS, files, 5)
    assert base.stat().st_mtime_ns == 5
    assert (base.parent / "paths").read_text() == f"{journal}\n{view}\n"


def test_r4_05_what_is_offered_replaces_what_was(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    sessions.write(RECORD)
    place = Path(sessions.directory("codex", "s1"))
    sessions.offer(RECORD, OFFERS, (), 0)
    assert (place / "next").read_text() == "next\n"
    assert (place / "remind").read_text() == "3\nremind\n"
    assert (place / "decide").exists()
    sessions.offer(RECORD, Offers(), (), 0)
    assert (place / "next").exists()
    assert (place / "remind").exists()
    assert not (place / "decide").exists()
    assert not (place / "failing").exists()
    assert sessions.withdraw_step(RECORD)
    assert not sessions.withdraw_step(RECORD)
    sessions.offer(RECORD, Offers("", ""), (), 0)
    assert not (place / "remind").exists()


def read_spooled(sessions: SessionFiles, payload: SpooledPayload) -> bytes | None:
    with sessions.take_spooled(payload) as data:
        return data


def test_f34_what_the_spool_holds_is_read_oldest_first_until_it_is_removed(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    sessions.write(RECORD)
    place = Path(sessions.directory("codex", "s1"))
    sessions.spool(RECORD, "prompt", b"words")
    for name, at in (("20", 1), ("3", 2), (".5", 3), ("x.9.7.new", 4)):
        (place / "spool" / name).write_text(name)
        os.utime(place / "spool" / name, ns=(at, at))
    spooled = sessions.spooled_payloads(RECORD)
    assert [each.moment for each in spooled] == ["tool-failure", "tool-failure", "prompt"]
    assert [read_spooled(sessions, each) for each in spooled] == [b"20", b"3", b"words"]
    assert len({each.key for each in spooled}) == 3
    assert sessions.spooled_payloads(RECORD) == spooled
    sessions.remove_spooled(spooled[0])
    sessions.remove_spooled(spooled[0])
    assert sessions.spooled_payloads(RECORD) == spooled[1:]
    assert sessions.with_spooled() == [RECORD]
    for each in spooled[1:]:
        sessions.remove_spooled(each)
    assert sessions.spooled_payloads(RECORD) == []
    assert read_spooled(sessions, spooled[2]) is None


def test_f34_what_the_spool_holds_is_for_one_hook_at_a_time(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    sessions.write(RECORD)
    sessions.spool(RECORD, "prompt", b"words")
    [spooled] = sessions.spooled_payloads(RECORD)
    with sessions.take_spooled(spooled) as data:
        assert data == b"words"
        assert read_spooled(sessions, spooled) is None
    assert read_spooled(sessions, spooled) == b"words"


def test_r4_06_views_are_taken_once(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    sessions.write(RECORD)
    (Path(sessions.directory("codex", "s1")) / "views").write_text("...")
    assert (sessions.take_views(RECORD), sessions.take_views(RECORD)) == (3, 0)


def test_f3_a_session_is_held_by_one_process(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path, ImpatientDisk())
    with sessions.hold("codex", "s1") as nothing:
        assert nothing.record is None
        with nothing.release():
            pass
    sessions.write(RECORD)
    with sessions.hold("codex", "s1") as held:
        assert held.record == RECORD
        with pytest.raises(LockTimeout), sessions.hold("codex", "s1"):
            pass
        sessions.remove("codex", "s1")
    with sessions.hold("codex", "s1") as gone:
        assert gone.record is None


def test_f3_a_session_is_released_while_checks_run(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path, ImpatientDisk())
    sessions.write(RECORD)
    with sessions.hold("codex", "s1"):
        with while_checks_run(), sessions.hold("codex", "s1") as other:
            assert other.record == RECORD
        with pytest.raises(LockTimeout), sessions.hold("codex", "s1"):
            pass
        with while_checks_run():
            sessions.remove("codex", "s1")
    sessions.write(RECORD)
    with while_checks_run(), sessions.hold("codex", "s1") as free:
        assert free.record == RECORD


def test_r4_04_a_session_that_nothing_looked_at_for_a_month_is_forgotten(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    sessions.write(RECORD)
    sessions.remove_unused()
    assert sessions.all() == [RECORD]
    os.utime(Path(sessions.directory("codex", "s1")) / "session.json", (0, 0))
    sessions.remove_unused()
    assert sessions.all() == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EACCES])
def test_f5_a_failing_disk_leaves_the_record_before_or_after(tmp_path: Path, number: int) -> None:
    at = 0
    while True:
        at += 1
        place = tmp_path / f"{number}-{at}"
        place.mkdir()
        whole = sessions_in(place)
        whole.write(RECORD)
        disk = FaultyDisk(QuickDisk(), at, error=OSError(number, os.strerror(number)))
        faulty = sessions_in(place, disk)
        changed = SessionRecord("codex", "s1", "/project", "ship", "plan_1")
        with suppress(OSError, StoreError), faulty.hold("codex", "s1"):
            faulty.spool(changed, "prompt", b"words")
            for spooled in faulty.spooled_payloads(changed):
                faulty.remove_spooled(spooled)
            faulty.write(changed)
            faulty.offer(changed, OFFERS, (), 0)
        assert whole.read("codex", "s1") in (RECORD, changed)
        if not disk.struck:
            break
    assert at > 10


def test_a5_a_directory_that_others_can_write_is_refused(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    (tmp_path / "outlast").mkdir()
    (tmp_path / "outlast").chmod(0o777)
    with pytest.raises(StoreError):
        sessions.write(RECORD)


def test_f12_reading_a_session_leaves_no_file_open(home: Path) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home, session="read-again")
    agent.types("/outlast resume")
    for _ in range(3):
        assert agent.record is not None
    assert not [path for path in open_files(os.getpid()) if "/read-again/" in path]
