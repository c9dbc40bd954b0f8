"""A14: an agent makes its checks pass without the work; the result is never plainly `proved`."""

from __future__ import annotations

import os
import sys
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from outlast import Check, Plan, create_plan, open_plan
from outlast.errors import CheckFailed, Tampered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE = 100.0
SWAPS_TRIED = 30
HONEST = "test -f work.txt\n"
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider tests"
HONEST_TEST = "import os\n\n\ndef test_work():\n    assert os.path.exists('work.txt')\n"


def give_task(root: Path, rule: str, *protect: str, actor: str = "human") -> Plan:
    """Return the plan of an agent whose task has a check, given by this actor."""
    plan = create_plan(root, "Do the work", "k", actor=actor)
    plan.add("work", checks=[Check("command", rule)], protect=protect)
    plan.acting_as("human").checks.approve()
    return plan.acting_as("agent")


def try_to_complete(agent: Plan) -> str:
    """Complete the task; return its label, or why it was refused."""
    try:
        agent.complete(1)
    except (Tampered, CheckFailed) as error:
        assert agent.task(1).status == "in_progress"
        return error.code
    return agent.checks.proof(1).label


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text(text)


def test_a14_a_protected_script_that_puts_itself_back(tmp_path: Path) -> None:
    write(tmp_path, "check.sh", HONEST)
    agent = give_task(tmp_path, "sh check.sh", "check.sh")
    agent.start()
    os.link(tmp_path / "check.sh", tmp_path / ".orig")
    (tmp_path / "check.sh").unlink()
    write(tmp_path, "check.sh", "cp .orig check.sh; touch ran; exit 0\n")
    assert try_to_complete(agent) == "TAMPERED"
    assert not (tmp_path / "ran").exists(), "what was exchanged is not even run"


def test_a14_a_protected_test_that_puts_itself_back_under_pytest(tmp_path: Path) -> None:
    write(tmp_path, "tests/test_work.py", HONEST_TEST)
    agent = give_task(tmp_path, PYTEST, "tests/**")
    agent.start()
    write(tmp_path, "orig", HONEST_TEST)
    forged = "import shutil\n\n\ndef test_work():\n    shutil.copy('orig', 'tests/test_work.py')\n"
    write(tmp_path, "tests/test_work.py", forged)
    assert try_to_complete(agent) == "TAMPERED"


# Each is a script that nobody protects; the check runs it before the protected one.
SWAPS = {
    "renames it": "mv tests/t.sh .o; echo 'mv .o tests/t.sh; exit 0' >tests/t.sh",
    "copies it": "cp -p tests/t.sh .o; echo 'cp -p .o tests/t.sh; exit 0' >tests/t.sh",
    "links it": "mv tests/t.sh .o; ln -s ../forged tests/t.sh; "
    "echo 'mv .o tests/t.sh; exit 0' >forged",
    "writes into it and resets its time": "cp -p tests/t.sh .o; "
    "echo 'cat .o >tests/t.sh; touch -r .o tests/t.sh; exit 0' >tests/t.sh",
    "renames its directory": "mv tests .t; mkdir tests; "
    "echo 'rm -r tests; mv .t tests; exit 0' >tests/t.sh",
}


@pytest.mark.parametrize("swap", SWAPS)
def test_a14_a_file_that_is_exchanged_while_the_checks_run_and_put_back(
    tmp_path: Path, swap: str
) -> None:
    write(tmp_path, "tests/t.sh", HONEST)
    agent = give_task(tmp_path, "sh build.sh && sh tests/t.sh", "tests/**")
    write(tmp_path, "build.sh", "true\n")
    agent.start()
    write(tmp_path, "build.sh", SWAPS[swap])
    assert try_to_complete(agent) == "TAMPERED"
    assert (tmp_path / "tests/t.sh").read_text() == HONEST, "the attack itself worked"


class Race(Thread):
    """Swaps the check by rename until it is stopped; the honest one is there for longer."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root, self._ended, self.swaps = root, Event(), 0

    def run(self) -> None:
        check, honest, forged = (self._root / name for name in ("check.sh", ".honest", ".forged"))
        while not self._ended.wait(0.03):
            check.rename(honest)
            forged.rename(check)
            self._ended.wait(0.005)
            check.rename(forged)
            honest.rename(check)
            self.swaps += 1

    def stop(self) -> None:
        self._ended.set()
        self.join()


def test_a14_a_race_by_rename(tmp_path: Path) -> None:
    write(tmp_path, "check.sh", HONEST)
    write(tmp_path, ".forged", "exit 0\n")
    agent = give_task(tmp_path, "sleep 0.02; sh check.sh", "check.sh")
    agent.start()
    race, outcomes = Race(tmp_path), set[str]()
    race.start()
    try:
        end = monotonic() + PATIENCE
        while race.swaps < SWAPS_TRIED and monotonic() < end:
            outcomes.add(try_to_complete(agent))
    finally:
        race.stop()
    assert outcomes <= {"TAMPERED", "CHECK_FAILED"}
    assert race.swaps >= SWAPS_TRIED


def test_a14_a_large_file_of_the_same_size_and_time(tmp_path: Path) -> None:
    data = tmp_path / "data.bin"
    with data.open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    agent = give_task(tmp_path, "test -f data.bin", "data.bin")
    agent.start()
    before = data.stat()
    with data.open("r+b") as file:
        file.write(b"forged")
    os.utime(data, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert data.stat().st_mtime_ns == before.st_mtime_ns
    assert try_to_complete(agent) == "TAMPERED"


BEFORE: dict[str, Callable[[Plan], object]] = {
    "before the start": lambda _: None,
    "after a failed attempt": lambda agent: (agent.start(1), agent.fail(1, "no")),
    "after it was given back": lambda agent: (agent.start(1), agent.return_task(1)),
    "after it was skipped": lambda agent: (agent.skip(1), agent.reopen(1)),
    "after its start was undone": lambda agent: (agent.start(1), agent.undo()),
}


@pytest.mark.parametrize("giver", ["human", "agent"])
@pytest.mark.parametrize("before", BEFORE)
def test_a14_a_script_that_is_exchanged_before_the_start(
    tmp_path: Path, before: str, giver: str
) -> None:
    """It is red at the start and green at the end, and tests nothing."""
    write(tmp_path, "check.sh", HONEST)
    agent = give_task(tmp_path, "sh check.sh", "check.sh", actor=giver)
    BEFORE[before](agent)
    write(tmp_path, "check.sh", "test -f flag\n")
    assert agent.checks.proof(1).label == "tampered"
    agent.start(1)
    write(tmp_path, "flag", "")
    assert agent.checks.proof(1).label == "tampered", "the start renews nothing"
    assert try_to_complete(agent) == "TAMPERED"
    other = agent.acting_as("other agent")
    agent.return_task(1)
    other.start(1)
    assert try_to_complete(other) == "TAMPERED"


def test_a14_a_script_of_the_next_task_is_exchanged_during_the_one_before(tmp_path: Path) -> None:
    write(tmp_path, "check.sh", HONEST)
    agent = give_task(tmp_path, "true")
    agent.acting_as("human").add(
        "next", checks=[Check("command", "sh check.sh")], protect=["check.sh"]
    )
    agent.start(1)
    write(tmp_path, "check.sh", "test -f flag\n")
    agent.complete(1)
    agent.start(2)
    write(tmp_path, "flag", "")
    with pytest.raises(Tampered):
        agent.complete(2)


def test_x2_only_a_person_accepts_changed_files_by_approval_or_by_their_own_start(
    tmp_path: Path,
) -> None:
    write(tmp_path, "check.sh", HONEST)
    agent = give_task(tmp_path, "sh check.sh", "check.sh")
    person = agent.acting_as("human")
    write(tmp_path, "check.sh", HONEST + "# better\n")
    assert person.checks.approve(1).accepted == {1: "protect"}
    agent.start(1)
    write(tmp_path, "work.txt", "")
    assert try_to_complete(agent) == "proved"
    person.add("again", checks=[Check("command", "sh check.sh")], protect=["check.sh"])
    write(tmp_path, "check.sh", HONEST + "# best\n")
    person.start(2)
    agent.complete(2)
    assert agent.checks.proof(2).label == "proved (was green)"


def test_x2_what_an_honest_check_does_in_protected_directories_is_no_tampering(
    tmp_path: Path,
) -> None:
    write(tmp_path, "tests/t.sh", HONEST)
    cache, temporary = "mkdir tests/__pycache__", "touch tests/tmp && rm tests/tmp"
    agent = give_task(tmp_path, f"{cache} && {temporary} && sh tests/t.sh", "tests/**")
    agent.start(1)
    (tmp_path / "tests/__pycache__").rmdir()
    write(tmp_path, "work.txt", "")
    assert try_to_complete(agent) == "proved"


def test_x2_protect_that_a_person_writes_into_the_view_counts_from_the_start(
    tmp_path: Path,
) -> None:
    write(tmp_path, "check.sh", HONEST)
    agent = give_task(tmp_path, "sh check.sh")
    agent.close()
    [view] = tmp_path.rglob("task_plan.md")
    check = "  - check: sh check.sh\n"
    assert check in view.read_text()
    view.write_text(view.read_text().replace(check, f"{check}  - protect: check.sh\n"))
    with open_plan(tmp_path, "k", actor="agent") as again:
        assert again.task(1).protect == ("check.sh",)
        again.start(1)
        write(tmp_path, "work.txt", "")
        assert try_to_complete(again) == "proved"
        assert again.task(1).status == "completed"
