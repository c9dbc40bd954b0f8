"""F22: whoever holds the lock for ever delays writers for a limited time, and nobody else."""

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import outlast as ol
from outlast.errors import LockTimeout
from outlast.model.commands import AddTasks, NewTask
from outlast.model.execute import return_commit
from outlast.plan.core import PlanCore
from outlast.plan.home.database import Database
from outlast.plan.home.workspace import Workspace
from outlast.store.port import Request, Store
from outlast.system.clock import new_plan_id, now
from outlast.system.disk import Disk
from tests.cli.processes import environment, json_of, outlast, stdout_of

KEY = "house"
FREEZES = int(os.environ.get("OUTLAST_F22", "20"))
# A process that stops itself inside each commit, with the lock held, until it is told to go on.
FREEZER = """
import os, signal, sys
import outlast
from outlast.model.commands import AddTasks, NewTask
from outlast.store.port import Request
from outlast.system.clock import now

where, key, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
plan = outlast.open_plan(where, key)
freeze = lambda *_: os.kill(os.getpid(), signal.SIGSTOP)
for number in range(times):
    command = AddTasks((NewTask(f"frozen {number}"),))
    plan.core.store.commit(Request((command,), "cold", now()), freeze)
plan.close()
"""


class Hurried(Disk):
    """A disk that does not wait long for a lock."""

    def lock_seconds(self) -> float:
        return 0.05


@pytest.fixture(params=["files", "sqlite"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    url = str(tmp_path) if request.param == "files" else f"sqlite:///{tmp_path / 'plans.db'}"
    with ol.create_plan(url, "Build a house", KEY) as plan:
        plan.add("Walls")
    return url


@pytest.fixture
def frozen(where: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, "-c", FREEZER, where, KEY, str(FREEZES)], env=environment()
    ) as process:
        wait_until_stopped(process)
        yield process
        process.kill()


def wait_until_stopped(process: subprocess.Popen[bytes]) -> None:
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)


def open_hurried(where: str) -> Store:
    path = where.removeprefix("sqlite:///")
    home = Workspace(path, Hurried()) if path == where else Database(path, Hurried())
    return home.open(KEY, now())


def plan_of(store: Store) -> ol.Plan:
    return ol.Plan(PlanCore(store, now, new_plan_id, "ann"))


def stored_bytes(where: str) -> bytes:
    path = Path(where.removeprefix("sqlite:///"))
    files = path.rglob("journal.jsonl") if path.is_dir() else path.parent.glob("plans.db*")
    return b"".join(file.read_bytes() for file in sorted(files) if file.suffix != ".db-shm")


@pytest.mark.soak
def test_f22_a_process_frozen_in_its_commit_costs_others_a_typed_error_and_nothing_else(
    where: str, frozen: subprocess.Popen[bytes]
) -> None:
    store = open_hurried(where)
    plan = plan_of(store)
    with ThreadPoolExecutor(3) as pool:
        for number in range(FREEZES):
            before = stored_bytes(where)
            writers = [pool.submit(plan.add, f"{number}.{thread}") for thread in range(3)]
            assert len(plan.tasks()) == 1 + number  # reading works meanwhile
            for writer in writers:
                error = writer.exception(30)
                assert isinstance(error, LockTimeout)
                assert error.text == "lock_timeout_stopped"
                assert error.details["pid"] == frozen.pid
            assert stored_bytes(where) == before
            frozen.send_signal(signal.SIGCONT)
            if number + 1 < FREEZES:
                wait_until_stopped(frozen)
    assert frozen.wait(30) == 0
    assert plan.add("Roof").id == FREEZES + 2
    store.close()


def test_f22_an_event_loop_goes_on_while_a_commit_waits(
    where: str, frozen: subprocess.Popen[bytes]
) -> None:
    store = open_hurried(where)

    async def use() -> int:
        request = Request((AddTasks((NewTask("Roof"),)),), "ann", now())
        waiting = asyncio.wrap_future(store.submit(request, return_commit))
        turns = 0
        while not waiting.done():
            await asyncio.sleep(0.001)
            turns += 1
        with pytest.raises(LockTimeout):
            await waiting
        return turns

    assert asyncio.run(use()) > 5
    assert frozen.poll() is None
    store.close()


def test_f22_a_waiting_commit_goes_on_as_soon_as_the_holder_is_gone(
    where: str, frozen: subprocess.Popen[bytes]
) -> None:
    with ol.open_plan(where, KEY) as plan, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(plan.add, "Roof")
        with pytest.raises(TimeoutError):
            waiting.result(0.3)
        assert [task.name for task in plan.tasks()] == ["Walls"]
        frozen.kill()
        assert waiting.result(30).id == 2


@pytest.mark.slow
@pytest.mark.parametrize("where", ["files"], indirect=True)
@pytest.mark.usefixtures("where")
def test_f22_the_command_says_who_holds_the_lock_and_gives_up(
    tmp_path: Path, frozen: subprocess.Popen[bytes]
) -> None:
    journal = tmp_path / ".outlast" / "plans" / KEY / "journal.jsonl"
    holder = f"process {frozen.pid} (python"
    assert "Walls" in stdout_of(tmp_path, "show")
    done = outlast(tmp_path, "add", "Roof", OUTLAST_LIMITS__LOCK_SECONDS="2.5")
    said, error = done.stderr.splitlines()
    assert said.startswith(f"outlast: waiting for {holder}")
    assert f"which is stopped and holds the lock of {journal}" in said
    assert said.endswith(f"to let it go on: kill -CONT {frozen.pid}")
    assert error.startswith(f"outlast: {journal}: {holder}")
    assert "has not released the lock for 2.5 s; nothing was changed" in error
    assert (done.returncode, done.stdout) == (4, "")
    answer = json_of(tmp_path, "add", "Roof", code=4, OUTLAST_LIMITS__LOCK_SECONDS="0.5")
    assert answer["error"]["code"] == "LOCK_TIMEOUT"
    assert answer["error"]["details"]["pid"] == frozen.pid
    refused = outlast(tmp_path, "add", "Roof", OUTLAST_LIMITS__LOCK_SECONDS="soon")
    assert "limits.lock_seconds" in refused.stderr
    assert stdout_of(tmp_path, "show").count("○") == 1


def test_f22_a_mere_reader_with_flock_delays_writers_and_creators(tmp_path: Path) -> None:
    with ol.create_plan(tmp_path, "Build a house", KEY) as plan:
        plan.add("Walls")
    journal = tmp_path / ".outlast" / "plans" / KEY / "journal.jsonl"
    empty = tmp_path / ".outlast" / "plans" / "barn"
    empty.mkdir()
    state = tmp_path / "state" / "outlast"
    state.mkdir(parents=True, mode=0o700)
    for file, command in (
        (journal, ("done", "1")),
        (state / "permissions.lock", ("permissions", "--forget", "--plan", KEY)),
        (empty, ("new", "Build a barn", "--key", "barn")),
    ):
        with subprocess.Popen(  # noqa: S603 - flock(1)
            ["/usr/bin/env", "flock", "--shared", file, "-c", "echo held; exec sleep 60"],
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        ) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            variables = {"OUTLAST_LIMITS__LOCK_SECONDS": "0.1", "XDG_STATE_HOME": str(state.parent)}
            answer = json_of(tmp_path, *command, code=4, **variables)
            assert answer["error"]["code"] == "LOCK_TIMEOUT"
            assert answer["error"]["details"]["where"] == str(file)
            assert answer["error"]["details"]["seconds"] == 0.1
            os.killpg(holder.pid, signal.SIGKILL)
        assert json_of(tmp_path, *command)["ok"]


def test_f22_an_edit_waits_for_the_lock_and_reading_does_not(tmp_path: Path) -> None:
    with ol.create_plan(tmp_path, "Build a house", KEY) as plan:
        plan.add("Walls")
    directory = tmp_path / ".outlast" / "plans" / KEY
    view = directory / "task_plan.md"
    view.write_text(view.read_text().replace("Walls", "Strong walls"))
    with (directory / "journal.jsonl").open() as journal:
        fcntl.flock(journal, fcntl.LOCK_SH)
        done = outlast(tmp_path, "show")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "1 Walls" in done.stdout
    assert done.stderr.startswith("outlast: task_plan.md was edited; the edit will be applied when")
    assert view.read_text().count("Strong walls") == 1
    done = outlast(tmp_path, "show")
    assert "1 Strong walls" in done.stdout
    assert "renamed 1" in done.stderr
