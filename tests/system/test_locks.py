"""F22: a lock that another process holds is waited for, said, and given up after a limit."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from outlast.errors import LockTimeout, UnsuitableFileSystem
from outlast.language import explain, text
from outlast.system.disk import BRIEF, LOCK_SECONDS, Disk, LockHeld, LockWait, take_lock
from outlast.system.process_identity import find_holder

Notice = tuple[str, dict[str, object]]
HOLD = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(file, fcntl.LOCK_SH if "shared" in sys.argv else fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


class QuickClock(Disk):
    """The real disk with a clock of its own, which only sleeping moves."""

    def __init__(self, limit: float = LOCK_SECONDS) -> None:
        self.limit = limit
        self.time = 0.0
        self.pauses: list[float] = []
        self.reported: list[tuple[float, Notice]] = []

    def monotonic(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.time += seconds

    def lock_seconds(self) -> float:
        return self.limit

    def report(self, notice: Notice) -> None:
        self.reported.append((self.time, notice))


@contextmanager
def held(path: Path, *how: str) -> Iterator[subprocess.Popen[str]]:
    """Let another process, which can only read the file, hold its lock."""
    with subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, "-c", HOLD, str(path), *how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        try:
            yield other
        finally:
            other.kill()


def take(disk: Disk, path: Path) -> None:
    fd = disk.open(str(path), os.O_RDONLY, 0)
    try:
        take_lock(disk, fd, str(path))
    finally:
        disk.close(fd)


def pause_until_the_end(wait: LockWait, path: Path) -> None:
    for _ in range(100_000):
        wait.pause(LockHeld(str(path)))


@pytest.fixture(params=["file", "directory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "place"
    if request.param == "file":
        path.touch()
        path.chmod(0o400)
        return path
    path.mkdir()
    return path


@pytest.mark.parametrize("how", ["exclusive", "shared"])
def test_f22_the_holder_is_named_after_two_seconds_and_given_up_after_the_limit(
    how: str, tmp_path: Path
) -> None:
    path, disk = tmp_path / "file", QuickClock(30)
    path.touch()
    with held(path, how) as other, pytest.raises(LockTimeout) as caught:
        take(disk, path)
    [(second, (key, details))] = disk.reported
    assert (key, details["pid"], details["where"]) == ("lock_wait", other.pid, str(path))
    assert 2 <= second < 2.1
    assert 30 <= disk.time < 30.1
    error = caught.value
    assert (error.code, error.text) == ("LOCK_TIMEOUT", "lock_timeout")
    assert error.details == {**details, "seconds": 30}
    assert f"process {other.pid} (python" in explain(error)
    assert "30 s" in explain(error)
    assert len(explain(error)) < 400  # the command line is shortened


def test_f22_a_directory_lock_names_its_holder_too(place: Path) -> None:
    disk = QuickClock()
    with held(place) as other, pytest.raises(LockTimeout) as caught:
        take(disk, place)
    assert caught.value.details["pid"] == other.pid
    assert disk.time >= LOCK_SECONDS


def test_f22_a_stopped_holder_is_called_stopped_and_the_advice_works(tmp_path: Path) -> None:
    path, disk = tmp_path / "file", QuickClock()
    path.touch()
    with held(path) as other:
        other.send_signal(signal.SIGSTOP)
        os.waitpid(other.pid, os.WUNTRACED)
        with pytest.raises(LockTimeout) as caught:
            take(disk, path)
        assert caught.value.text == "lock_timeout_stopped"
        assert disk.reported[0][1][0] == "lock_wait_stopped"
        advice = explain(caught.value)
        assert f"kill -CONT {other.pid}" in advice
        assert f"kill -KILL {other.pid}" in explain(caught.value, "zh")
        subprocess.run(["/bin/sh", "-c", f"kill -KILL {other.pid}"], check=True)  # noqa: S603 - our own
        other.wait()
        take(disk, path)


def test_f22_a_lock_that_its_taker_left_to_a_child_is_found(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    script = f"exec 9<{path}; flock 9; echo held; exec sleep 60"  # flock(1) itself has ended
    with subprocess.Popen(["/bin/sh", "-c", script], stdout=subprocess.PIPE, text=True) as other:  # noqa: S603 - our own
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert find_holder((str(path),)) == other.pid
        other.kill()


def test_f22_without_a_known_holder_it_says_another_process(tmp_path: Path) -> None:
    disk = QuickClock()
    wait = LockWait(disk, notices := list[Notice]())
    with pytest.raises(LockTimeout) as caught:
        pause_until_the_end(wait, tmp_path / "nothing")
    assert caught.value.text == "lock_timeout_unknown"
    [(key, details)] = notices
    assert key == "lock_wait_unknown"
    assert "another process" in text(key, **details)
    assert find_holder((str(tmp_path),)) is None


def test_f22_a_short_wait_polls_often_and_a_long_one_seldom(tmp_path: Path) -> None:
    disk = QuickClock()
    with pytest.raises(LockTimeout):
        pause_until_the_end(LockWait(disk), tmp_path)
    assert max(disk.pauses[:1000]) <= 0.002
    assert disk.pauses[-1] == 0.05
    assert len(disk.pauses) < 3000


def test_f22_work_that_can_be_left_undone_waits_briefly_and_says_nothing(tmp_path: Path) -> None:
    disk = QuickClock()
    with pytest.raises(LockTimeout):
        pause_until_the_end(LockWait(disk, seconds=BRIEF), tmp_path)
    assert disk.time < 2 * BRIEF
    assert disk.reported == []


def test_f22_secrets_in_the_command_of_the_holder_are_not_shown(tmp_path: Path) -> None:
    path, disk = tmp_path / "file", QuickClock()
    path.touch()
    secret = "sk-ant-" + "a1B2" * 12
    with held(path, "--api-key", secret), pytest.raises(LockTimeout) as caught:
        take(disk, path)
    assert secret[:20] not in explain(caught.value)


def test_f22_a_lock_of_this_process_names_this_process(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert find_holder((str(path),)) == os.getpid()


class Refusing(Disk):
    """A disk that grants no lock."""

    def __init__(self, number: int) -> None:
        self.number = number

    def lock(self, fd: int) -> None:  # noqa: ARG002 - the name of the seam
        raise OSError(self.number, os.strerror(self.number))


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP])
def test_f18_a_file_system_without_locks_is_refused(number: int) -> None:
    with pytest.raises(UnsuitableFileSystem) as caught:
        take_lock(Refusing(number), 3, "/data")
    assert explain(caught.value) == (
        "/data is on a file system without locks; choose a local directory"
    )


@pytest.mark.parametrize("number", [errno.EINTR, errno.EIO, errno.EBADF])
def test_f18_another_failure_of_a_lock_is_something_else(number: int) -> None:
    with pytest.raises(OSError, match=os.strerror(number)):
        take_lock(Refusing(number), 3, "/data")
