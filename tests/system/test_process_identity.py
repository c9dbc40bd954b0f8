"""X3: a process is recognized later, and known to have ended only if that is certain."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast.system.process_identity import has_ended, identify_process, process_state


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        yield process
        process.kill()


def identity_of(process: int) -> str:
    place = identify_process().partition("_")[0]
    start = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    return f"{place}_{process}_{start}"


def test_x3_a_process_that_runs_has_not_ended(child: subprocess.Popen[bytes]) -> None:
    assert identity_of(os.getpid()) == identify_process()
    for each in (identify_process(), identity_of(child.pid)):
        assert not has_ended(each)
        assert process_state(each) != "stopped"


def test_x3_a_killed_process_has_ended_before_and_after_it_is_reaped(
    child: subprocess.Popen[bytes],
) -> None:
    identity = identity_of(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert has_ended(identity), "a zombie"
    child.wait()
    assert has_ended(identity)
    assert process_state(identity) != "stopped"


def test_x3_a_stopped_process_has_not_ended(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED)
    identity = identity_of(child.pid)
    assert process_state(identity) == "stopped"
    assert not has_ended(identity)


def test_x3_a_number_that_is_used_again_is_another_process(child: subprocess.Popen[bytes]) -> None:
    place, number, start = identity_of(child.pid).split("_")
    assert has_ended(f"{place}_{number}_{int(start) - 1}")


@pytest.mark.parametrize(
    "process",
    [
        "",
        "x",
        "x_1_2",
        "_1_2",
        "{place}_1",
        "{place}_1_2_3",
        "{place}_0_1",
        "{place}_-1_1",
        "{place}_\u0665_1",
        f"{{place}}_{'9' * 30}_1",
    ],
)
def test_x3_of_what_is_no_process_of_this_machine_nothing_is_known(process: str) -> None:
    identity = process.format(place=identify_process().partition("_")[0])
    assert not has_ended(identity)
    assert process_state(identity) != "stopped"


def test_x3_the_first_thread_may_end_before_the_others() -> None:
    script = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "print('ready', flush=True)\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    with subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, "-c", script], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        identity = identity_of(process.pid)
        while state(process.pid) not in "ZX":
            pass
        assert not has_ended(identity)
        process.kill()
    assert has_ended(identity)


def state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def test_x3_where_the_kernel_shows_no_processes_none_is_identified(tmp_path: Path) -> None:
    assert identify_process(str(tmp_path)) == ""
