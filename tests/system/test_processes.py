"""F12: whatever a program does, nothing of it is left, not even when we are killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from outlast.system.process_identity import identify_process
from outlast.system.processes import (
    TAIL_BYTES,
    ProcessResult,
    RunningProcess,
    kill_programs_of,
    open_pidfd,
    run_stoppable,
)
from tests.open_files import open_files

PATIENCE = 20.0  # seconds: a guard against hanging, not a promise
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
ROUNDS = int(os.environ.get("OUTLAST_F12", "20"))

BEGUN = "until test -s pids; do sleep 0.01; done"

# What a check may do; each writes the number of a process that must not stay.
LEAVING = {
    "forks": "sleep 60 & echo $! >>pids; exit 0",
    "forks and waits": "sleep 60 & echo $! >>pids; wait",
    "ignores TERM": "trap '' TERM HUP INT; echo $$ >>pids; while :; do sleep 1; done",
    "floods": "echo $$ >>pids; yes flood",
    "daemonises in its group": f"(sh -c 'echo $$ >>pids; exec sleep 60' &) ; {BEGUN}",
    "leaves its group": f"setsid sh -c 'echo $$ >>pids; sleep 60' & {BEGUN}",
    "leaves twice": f"setsid setsid -f sh -c 'echo $$ >>pids; sleep 60' & {BEGUN}",
}


def start(rule: str, cwd: Path, **options: Any) -> RunningProcess:
    return RunningProcess(("/bin/sh", "-c", rule), str(cwd), environment=os.environ, **options)


def run(rule: str, cwd: Path, seconds: float = PATIENCE) -> ProcessResult:
    return start(rule, cwd).wait(seconds)


def is_alive(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return status not in "ZX"


def children() -> set[int]:
    files = Path("/proc/self/task").glob("*/children")
    return {int(process) for file in files for process in file.read_text().split()}


def wait_for(question: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not question():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def numbers(place: Path) -> list[int]:
    file = place / "pids"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def test_the_outcome_of_a_program_is_returned(tmp_path: Path) -> None:
    ended = run("echo out; echo err >&2; exit 3", tmp_path)
    assert (ended.how, ended.code, ended.tail) == ("exit", 3, b"out\nerr\n")
    assert run("pwd", tmp_path).tail.decode() == f"{tmp_path.resolve()}\n"
    assert run("kill -9 $$", tmp_path).code == -signal.SIGKILL


def test_a_program_inherits_the_open_files_that_it_is_given(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    try:
        assert run(f"echo heard >/dev/fd/{writer}", tmp_path).code != 0
        assert (
            start(f"echo heard >/dev/fd/{writer}", tmp_path, pass_fds=[writer]).wait(PATIENCE).code
            == 0
        )
        assert os.read(reader, 100) == b"heard\n"
    finally:
        os.close(reader)
        os.close(writer)


DUMPABLE = """
from ctypes import CDLL
from outlast.system.processes import RunningProcess
print(CDLL(None).prctl(3, 0, 0, 0, 0))
program = RunningProcess(("/bin/true",), "/", environment={})
print(CDLL(None).prctl(3, 0, 0, 0, 0))
program.wait(20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can keep others out")
def test_a13_a_program_may_not_look_into_the_process_that_started_it() -> None:
    command = [sys.executable, "-c", DUMPABLE]
    said = subprocess.check_output(command, text=True)  # noqa: S603 - our own program
    assert said.split() == ["1", "0"]


def test_a_program_has_no_input(tmp_path: Path) -> None:
    assert run("cat; echo end", tmp_path).tail == b"end\n"


def test_a_program_that_closes_its_output_is_waited_for(tmp_path: Path) -> None:
    assert run("exec >&- 2>&-; sleep 0.2; exit 4", tmp_path).code == 4


HOUR = 3_600.0  # far longer than `PATIENCE`: nothing is seen by polling
CLOSING = {
    "open to the end": "echo end",
    "closed before": "exec >&- 2>&-; sleep 0.1; exit 0",
    "held by another": "sleep 60 & exit 0",
}


def is_end_seen(running: RunningProcess) -> bool:
    """Return whether the end is seen long before its time is up."""
    ends = list[str]()
    waiting = Thread(target=lambda: ends.append(running.wait(HOUR).how), daemon=True)
    waiting.start()
    waiting.join(PATIENCE)
    return ends == ["exit"]


@pytest.mark.parametrize("output", CLOSING)
@ON_LINUX
def test_f12_the_end_of_a_program_is_seen_without_polling(output: str, tmp_path: Path) -> None:
    assert is_end_seen(start(CLOSING[output], tmp_path, poll_seconds=HOUR))
    assert open_pidfd(os.getpid()) is not None


@pytest.mark.parametrize("output", CLOSING)
def test_f12_without_a_descriptor_the_end_is_polled_for(output: str, tmp_path: Path) -> None:
    """So it is on systems that have no pidfds, and where a sandbox forbids them.

    What has just begun may end soon: the first looks are close together, whatever the longest
    pause is.
    """
    rule = CLOSING[output]
    assert is_end_seen(start(rule, tmp_path, watch_end=lambda _: None, poll_seconds=HOUR))


def test_f12_there_is_no_descriptor_of_what_is_no_process() -> None:
    assert open_pidfd(-1) is None


@ON_LINUX
def test_f12_a_program_leaves_no_descriptor_open(tmp_path: Path) -> None:
    run("true", tmp_path)
    before = open_files(os.getpid())
    for rule in ("true", "exit 3", "sleep 60"):
        run(rule, tmp_path, 0.05)
    assert open_files(os.getpid()) == before


def test_only_the_end_of_the_output_is_kept_but_all_of_it_counts(tmp_path: Path) -> None:
    rule = "head -c 3000000 /dev/zero | tr '\\0' {}; echo end"
    first, other = (run(rule.format(letter), tmp_path) for letter in "ab")
    assert len(first.tail) == len(first.head) == TAIL_BYTES == 65_536
    assert first.tail.endswith(b"aaaend\n")
    assert first.digest != other.digest
    assert first.digest == run(rule.format("a"), tmp_path).digest


WRITING = """
import fcntl, os
fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)
os.write(1, b"x" * 300_000)
"""


@ON_LINUX
def test_r1_12_what_a_program_wrote_before_its_end_is_read_however_slowly(tmp_path: Path) -> None:
    """On a busy machine the last words of an agent, its report, come after its end."""
    command = (sys.executable, "-c", WRITING)
    pieces = list[bytes]()

    def listen(piece: bytes) -> None:
        pieces.append(piece)
        time.sleep(0.3)

    running = RunningProcess(command, str(tmp_path), environment=os.environ, on_output=listen)
    assert running.wait(PATIENCE).size == sum(map(len, pieces)) == 300_000


@ON_LINUX
def test_f12_a_program_that_was_killed_before_it_began_has_ended(tmp_path: Path) -> None:
    before = children()
    program = start("echo begun", tmp_path)
    for process in children() - before:
        os.kill(process, signal.SIGKILL)
        assert wait_for(lambda process=process: not is_alive(process))  # type: ignore[misc]
    ended = program.wait(PATIENCE)
    assert (ended.how, ended.code, ended.tail) == ("exit", -signal.SIGKILL, b"")


@pytest.mark.parametrize("what", LEAVING)
@ON_LINUX
def test_f12_nothing_is_left_behind(what: str, tmp_path: Path) -> None:
    running = start(LEAVING[what], tmp_path)

    def stop_once_begun() -> None:
        wait_for(lambda: bool(numbers(tmp_path)))
        running.stop()

    other = Thread(target=stop_once_begun)
    other.start()
    assert running.wait(PATIENCE).how in ("exit", "stopped")
    other.join()
    assert numbers(tmp_path)
    assert not [process for process in numbers(tmp_path) if is_alive(process)]


def test_f12_a_program_that_takes_too_long_is_ended_politely_first(tmp_path: Path) -> None:
    rule = "trap 'echo bye; exit 7' TERM; echo begun; while :; do sleep 0.05; done"
    ended = run(rule, tmp_path, 0.5)
    assert (ended.how, ended.code) == ("timeout", 7)
    assert ended.tail.endswith(b"bye\n")


def test_a_call_that_is_stopped_runs_no_program_any_more(tmp_path: Path) -> None:
    stop, found = Event(), list[ProcessResult]()

    def call() -> None:
        found.extend(run("touch run; sleep 60", tmp_path) for _ in range(2))

    thread = Thread(target=run_stoppable, args=(call, stop))
    thread.start()
    assert wait_for((tmp_path / "run").exists)
    (tmp_path / "run").unlink()
    assert run("true", tmp_path).how == "exit"
    stop.set()
    thread.join(PATIENCE)
    assert [result.how for result in found] == ["stopped", "stopped"]
    assert not (tmp_path / "run").exists()


def test_another_thread_can_break_it_off(tmp_path: Path) -> None:
    running = start("sleep 60", tmp_path)
    found: list[ProcessResult] = []
    thread = Thread(target=lambda: found.append(running.wait(PATIENCE)))
    thread.start()
    running.stop()
    thread.join(PATIENCE)
    assert [ended.how for ended in found] == ["stopped"]


def test_what_cannot_be_started_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run("true", tmp_path / "nowhere")
    with pytest.raises(ValueError, match="null byte"):
        run("true\0", tmp_path)


VICTIM = """
import os, sys
from outlast.system.processes import RunningProcess
running = RunningProcess(("/bin/sh", "-c", sys.argv[1]), sys.argv[2], environment=os.environ)
print("ready", flush=True)
running.wait(60)
"""


@pytest.mark.slow
@pytest.mark.soak
@ON_LINUX
def test_f12_a_killed_parent_leaves_nothing_behind(tmp_path: Path) -> None:
    """The rules above in turn; our own process is killed as soon as they run."""
    rules = list(LEAVING.values())
    for number in range(ROUNDS):
        place = tmp_path / str(number)
        place.mkdir()
        rule = rules[number % len(rules)].replace("exit 0", "sleep 60")
        victim = subprocess.Popen(  # noqa: S603 - our own lines
            [sys.executable, "-c", VICTIM, rule, str(place)], stdout=subprocess.PIPE
        )
        with victim:
            assert wait_for(lambda place=place: bool(numbers(place)))  # type: ignore[misc]
            victim.kill()
        gone = wait_for(lambda place=place: not any(map(is_alive, numbers(place))))  # type: ignore[misc]
        assert gone, rule


@ON_LINUX
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
def test_f12_what_a_process_left_behind_can_be_ended_by_another(
    tmp_path: Path, end: signal.Signals
) -> None:
    """Whoever takes over need not wait for the watcher of the one that has ended or hangs."""
    script = VICTIM.replace('"ready"', "identify_process()").replace(
        "import os, sys", "import os, sys\nfrom outlast.system.process_identity import *"
    )
    victim = subprocess.Popen(  # noqa: S603 - our own lines
        [sys.executable, "-c", script, LEAVING["leaves twice"] + "; sleep 60", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    with victim:
        assert victim.stdout
        identity = victim.stdout.readline().strip()
        assert wait_for(lambda: bool(numbers(tmp_path)))
        victim.send_signal(end)
        kill_programs_of(identify_process())
        kill_programs_of(identity)
        assert not any(map(is_alive, numbers(tmp_path)))
        victim.kill()


@ON_LINUX
def test_f12_a_program_never_begins_if_we_die_before_it_is_watched(tmp_path: Path) -> None:
    victim = subprocess.run(  # noqa: S603 - our own lines
        [
            sys.executable,
            "-c",
            VICTIM.replace("running.wait(60)", "import os; os.kill(os.getpid(), 9)"),
            "echo $$ >>pids",
            str(tmp_path),
        ],
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert victim.stdout == b"ready\n"
    assert victim.returncode == -signal.SIGKILL
    time.sleep(0.1)
    assert numbers(tmp_path) == []
